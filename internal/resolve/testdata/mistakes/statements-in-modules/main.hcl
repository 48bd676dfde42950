cloud "test" {
  openstack {
    cloud = "test"
  }
}

module "site" {
  source   = "./m"
  for_each = toset(["ber", "fra"])
  name     = each.key
}
moved {
  from = module.site["fra"].network.old
  to   = module.site["fra"].network.n
}
