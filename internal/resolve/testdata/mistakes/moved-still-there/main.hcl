cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "a" {}
network "b" {}
network "c" {
  for_each = toset(["x"])
  name     = each.key
}
network "d" {
  for_each = toset(["y"])
  name     = each.key
}

moved {
  from = network.a
  to   = network.b
}
moved {
  from = network.c["x"]
  to   = network.d["y"]
}
