variable "name" {}
variable "cidr" {}

network "all" {
  name        = var.name
  description = var.cidr.first
}

network "one" {
  name        = var.name
  description = cidrsubnet(var.cidr, 8, 1)
}

locals {
  lookup = { fra = 1, lon = 2 }
  chosen = local.lookup[var.name]
}

project "unknown" {
  name = var.nmae
}
