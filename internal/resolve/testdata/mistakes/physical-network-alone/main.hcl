cloud "test" {
  openstack {
    cloud = "test"
  }
  physical_network "public" { bridge = "br-ex" }
}
