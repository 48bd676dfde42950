cloud "test" {
  openstack {
    cloud = "test"
  }
}

variable "secret" {
  default   = "x"
  sensitive = true
}

network "a" {}
module "edge" { source = "./edge" }

suspended {
  target = cloud.other
}
suspended {
  target = service.novaa
}
suspended {
  target = network.a
}
suspended {
  target = network.a
  until  = "tomorrow"
}
suspended {
  target = "network.a"
}
suspended {
  target = data.network.a
}
suspended {
  target = module.edge
  reason = var.secret
}
suspended {
  reason = "something"
}
