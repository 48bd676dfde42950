cloud "test" {
  openstack {
    cloud = "test"
  }
}

moved {
  to   = network.a
  form = network.b
}
removed {
  from    = network.c
  destroy = false
}
import "x" {
  to = network.a
}
import {
  to = network.a
}
network "a" {}
