cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "a" {}
network "b" {}
network "each" {
  for_each = toset(["x", "y"])
  name     = each.key
}

import {
  to = network.a
  id = "1"
}
import {
  to = network.a
  id = "2"
}
import {
  to = network.b
  id = "1"
}
import {
  for_each = { x = "3", y = "3" }
  to       = network.each[each.key]
  id       = each.value
}
import {
  to = network.each[each.key]
  id = each.value
}
