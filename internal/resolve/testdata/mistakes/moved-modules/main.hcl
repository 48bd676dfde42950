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
module "one" {
  source = "./m"
  name   = "one"
}
network "web" {}

moved {
  from = network.a
  to   = module.sites["fra"].network.n
}
moved {
  from = network.b
  to   = module.site.network.n
}
moved {
  from = network.c
  to   = module.site["frb"].network.n
}
moved {
  from = network.d
  to   = module.one["x"].network.n
}
moved {
  from = network.e
  to   = module.one.network.m
}
moved {
  from = module.one.network.n
  to   = network.web
}
moved {
  from = module.old
  to   = module.site["frb"]
}
moved {
  from = module.site
  to   = module.new
}
moved {
  from = network.f
  to   = module.one
}
moved {
  from = module.older["x"]
  to   = module.site
}
import {
  to = module.site["ber"].network.m
  id = "1"
}
import {
  to = module.site.network.n
  id = "2"
}
removed {
  from = module.site["ber"]
}
