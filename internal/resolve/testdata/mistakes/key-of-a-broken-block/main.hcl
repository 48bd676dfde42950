cloud "test" {
  openstack {
    cloud = "test"
  }
}

# Something is wrong with the objects of the block. Which ones there are is known all the same.
network "n" {
  for_each = toset(["a"])
  name     = each.key
  mtu      = 99999999
}

subnet "unknown" {
  network = network.n["b"]
  cidr    = "10.0.0.0/24"
}
subnet "known" {
  network = network.n["a"]
  cidr    = "10.0.1.0/24"
}
subnet "several" {
  network = network.n
  cidr    = "10.0.2.0/24"
}
subnet "all" {
  for_each = network.n
  name     = each.key
  network  = each.value
  cidr     = "10.0.3.0/24"
}
