cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

variable "empty" {
  default  = null
  nullable = false
}

module "m" {
  source = "./m"
  text   = null
}
