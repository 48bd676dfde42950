variable "name" {}
network "n" {
  name = var.name
}
moved {
  from = network.old
  to   = network.m
}
moved {
  from = network.older
  to   = network.n["x"]
}
removed {
  from = network.n
}
removed {
  from = service.heat
}
removed {
  from = subnet.s
  lifecycle {
    destroy = var.nmae == "fra"
  }
}
import {
  to = network.n
  id = "1"
}
