cloud "demo" {
  openstack { cloud = "x" }
}

variable "least" {
  default = 100
}

variable "vlan" {
  default = 10

  validation {
    condition     = var.vlan >= var.least
    error_message = "the VLANs of this site begin at ${var.least}"
  }
}

# What it is compared with is wrong itself: nothing more is told of it.
variable "count" {
  type    = number
  default = "many"
}

variable "most" {
  default = 5

  validation {
    condition     = var.most > var.count
    error_message = "there are ${var.count}"
  }
}

variable "secret" {
  default   = "canary"
  sensitive = true
}

variable "guess" {
  default = "bird"

  validation {
    condition     = var.guess == var.secret
    error_message = "it is ${var.secret}"
  }
}

variable "prefix" {
  default = "web"

  validation {
    condition     = startswith(var.prefix, var.names.first)
    error_message = "it begins with another name"
  }
}

variable "names" {
  default = {}
}

project "shop" {}

module "site" {
  source = "./site"
  first  = 20
  last   = 10
  name   = "fixed"
  owner  = project.shop.id
}

module "circle" {
  source = "./circle"
}
