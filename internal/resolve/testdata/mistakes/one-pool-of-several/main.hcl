cloud "test" {
  openstack {
    cloud = "test"
  }
}
network "n" {}

# What is wrong with one element of a list keeps nothing from being told of the others.
subnet "s" {
  network = network.n
  cidr    = "10.0.0.0/24"
  allocation_pools = [
    { start = "10.0.0.10", end = "10.0.0.5" },
    { start = "10.0.0.1" },
    { start = "x", end = "10.0.0.30" },
    { start = "10.0.0.40", end = "10.0.1.50" },
    { start = "10.0.0.60", end = "10.0.0.70" },
    { start = "10.0.0.70", end = "10.0.0.80", step = 2 },
    { start = "10.0.0.65", end = "10.0.0.90" },
  ]
}
