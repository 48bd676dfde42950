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

removed {
  from = network.a
}
removed {
  from = network.each["x"]
}
removed {
  from = network.old
}
removed {
  from = network.old
  lifecycle {
    destroy = false
  }
}
removed {
  from = network.moved
}
moved {
  from = network.moved
  to   = network.a
}
removed {
  from = network.older
  lifecycle {
    destroy = "maybe"
  }
}
