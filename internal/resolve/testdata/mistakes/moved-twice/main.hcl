cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "a" {}
network "b" {}

moved {
  from = network.old
  to   = network.a
}
moved {
  from = network.old
  to   = network.b
}
moved {
  from = network.older
  to   = network.a
}
