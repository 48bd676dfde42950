cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

network "web" {}

module "list" {
  source   = "./edge"
  for_each = ["a", "b"]
}

module "late" {
  source   = "./edge"
  for_each = toset([network.web.id])
}

module "outside" {
  source = "./edge"
  name   = each.key
}

module "inside" {
  source = "./edge"
}

network "quiet" {
  description = module.list["a"].id
}
