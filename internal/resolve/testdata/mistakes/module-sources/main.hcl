cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

variable "where" {
  default = "./edge"
}

module "registry" {
  source = "edge/openstack"
}

module "url" {
  source = "git::https://git.example.org/edge.git"
}

module "outside" {
  source = "../edge"
}

module "absolute" {
  source = "/edge"
}

module "computed" {
  source = var.where
}

module "gone" {
  source = "./gone"
}

module "none" {
}

network "web" {
  description = module.gone.id
}
module "misspelt" {
  sorce = "./m"
}
