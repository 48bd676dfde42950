cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "web" {}
network "each" {
  for_each = toset(["x"])
  name     = each.key
}

moved {
  from = network.old
  to   = network.wbe
}
moved {
  from = network.old2
  to   = network.each["y"]
}
moved {
  from = network.old3["a"]
  to   = network.each
}
moved {
  from = network.old4
  to   = network.web["a"]
}
moved {
  from = module.old
  to   = module.new
}
