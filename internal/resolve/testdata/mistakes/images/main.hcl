cloud "test" {
  openstack {
    cloud = "test"
  }
  images {
    registries = {
      "https://quay.io" = "registry.example.org/quay"
      "docker.io"       = "https://registry.example.org"
    }
    pull_secret = "Login"
  }
}

network "web" {}
