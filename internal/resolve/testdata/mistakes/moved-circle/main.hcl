cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "a" {}

moved {
  from = network.x
  to   = network.y
}
moved {
  from = network.y
  to   = network.z
}
moved {
  from = network.z
  to   = network.x
}
moved {
  from = network.a
  to   = network.a
}
