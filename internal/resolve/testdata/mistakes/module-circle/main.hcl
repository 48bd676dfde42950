cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

module "a" {
  source = "./a"
}
