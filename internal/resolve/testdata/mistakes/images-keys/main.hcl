cloud "test" {
  openstack {
    cloud = "test"
  }
  images {
    registries = { "https://quay.io" = "registry.example.org/quay", "ghcr.io" = null }
  }
}
