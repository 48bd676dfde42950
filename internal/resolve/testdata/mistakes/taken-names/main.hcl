cloud "demo" {
  openstack { cloud = "x" }
}

project "shop" {}

project "other" {
  name   = "shop"
  domain = "another"
}

project "again" {
  name = "shop"
}

flavor "small" {
  vcpus = 1
  ram   = 512
}

flavor "each" {
  for_each = toset(["a", "b"])
  name     = "small"
  vcpus    = 2
  ram      = 512
}

module "edge" {
  source = "./edge"
}

network "small" {}

network "same" {
  name = "small"
}

data "flavor" "small" {
  name = "small"
}

project "empty" {
  name = ""
}

flavor "blank" {
  name  = "  "
  vcpus = 2
  ram   = 512
}
