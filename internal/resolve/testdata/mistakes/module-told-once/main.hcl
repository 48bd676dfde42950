cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

module "edge" {
  source   = "./edge"
  for_each = { fra = "10.0.0.0/16", ber = "10.1.0.0", lon = "10.2.0.0/16" }
  name     = each.key
  cidr     = each.value
}
