cloud "test" {
  openstack {
    cloud = "test"
  }
}

variable "secret" {
  default   = "office"
  sensitive = true
}
project "new" {}
network "a" {}
subnet "a" {
  network = network.a
  cidr    = "10.0.0.0/24"
}

import {
  to = network.a
}
import {
  to     = network.a
  id     = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  filter = { name = "office" }
}
import {
  to     = network.a
  filter = {}
}
import {
  to     = network.a
  filter = { name = null }
}
import {
  to     = network.a
  filter = { nme = "office", external = "perhaps" }
}
import {
  to     = network.a
  filter = { name = var.secret }
}
import {
  to     = network.a
  filter = { project = project.new.id }
}
import {
  to     = subnet.a
  filter = { cidr = "10.0.0.0" }
}
import {
  to     = network.a
  filter = "office"
}
import {
  to     = network.a
  filter = { id = "d32019d3-bc6e-4319-9c1d-6722fc136a22" }
}
