cloud "test" {
  openstack {
    cloud = "test"
  }
  exposure {
    domain      = "cloud.example.org"
    gateway     = { name = "public" }
    certificate = "wildcard"
  }
}
