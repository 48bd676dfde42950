cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

module "a" {
  source = "./m"
  given  = module.b.result
}

module "b" {
  source = "./m"
  given  = network.web.description
}

network "web" {
  description = module.a.result
}

module "waits" {
  source     = "./m"
  given      = 1
  depends_on = [network.after]
}

network "after" {
  depends_on = [module.waits]
}
