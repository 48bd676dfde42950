cloud "test" {
  openstack {
    cloud = "test"
  }
  tls {
    issuer = { name = "authority" }
  }
}
