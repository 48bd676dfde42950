cloud "test" {
  openstack {
    cloud = "test"
  }
}

locals {
  name = "a"
}
network "a" {}

moved {
  from = "network.old"
  to   = network.a.id
}
moved {
  from = netwrk.old
  to   = data.network.a
}
moved {
  from = network.old[local.name]
  to   = network["a"]
}
moved {
  from = network.old[0]
  to   = network
}
moved {
  from = module
  to   = local.name
}
removed {
  from = [network.old]
}
