cloud "demo" {
  openstack { cloud = "x" }
}

module "lost" {
  source   = "./edge"
  for_each = local.missing
  name     = 1 / 0
  sizes    = { a = each.value, b = "x" }
}

module "given" {
  source = "./edge"
  name   = local.missing
  sizes  = { a = local.missing, b = "x" }
  nmae   = 2 / 0
}

module "gone" {
  source = "./gone"
  name   = 3 / 0
}

network "web" {
  description = module.given.list
  mtu         = module.given.text
  project     = module.given.missing
}

moved {
  from = network.old
  to   = module.lost["a"].network.web
}
