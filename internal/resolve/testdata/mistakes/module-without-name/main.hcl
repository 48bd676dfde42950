cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

module "edge" {
  source   = "./edge"
  for_each = toset(["fra", "ber"])
}
