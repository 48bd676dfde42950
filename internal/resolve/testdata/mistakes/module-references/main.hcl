cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

module "edge" {
  source   = "./edge"
  for_each = toset(["fra", "ber"])
  name     = each.key
}

module "core" {
  source = "./edge"
  name   = "core"
}

network "web" {
  description = "${module.egde["fra"].id} ${module.edge["fra"].idd} ${module.edge.id} ${module.core["fra"].id}"
}

network "keys" {
  description = module.edge["lon"].id
}

network "alone" {
  description = module
}

network "number" {
  description = module.edge[0].id
}

network "inside" {
  description = network.inner.id
  depends_on  = [module.core.id, module.edge["par"], module.coer]
}
