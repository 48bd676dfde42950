cloud "test" {
  openstack {
    cloud = "test"
  }
}

subnet "a" {
  network = "0b8ce3a8-0c2c-4a0e-9c3e-0b0d2c3f4a5b"
  cidr    = "10.0.0.0/24"
}

moved {
  from = network.a
  to   = subnet.a
}
moved {
  from = module.edge
  to   = subnet.a
}
moved {
  from = service.heat
  to   = service.nova
}
