cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "a" {}
network "each" {
  for_each = toset(["x"])
  name     = each.key
}
network "later" {
  for_each = toset(["x"])
  name     = each.key
}
variable "secret" {
  default   = "5d1a3b52-0b1a-4c9b-9a2d-0d4a3a2f1e10"
  sensitive = true
}
project "new" {}

import {
  to = network.a
  id = project.new.id
}
import {
  to = network.each
  id = "1"
}
import {
  to = network.each["y"]
  id = "1"
}
import {
  to = network.a["x"]
  id = "2"
}
import {
  to = network.b
  id = "3"
}
import {
  to = module.edge
  id = "4"
}
import {
  to = service.nova
  id = "5"
}
import {
  to = network.each["x"]
  id = var.secret
}
import {
  to = network.each["x"]
  id = ""
}
import {
  for_each = { x = "6" }
  to       = network.later
  id       = each.value
}
