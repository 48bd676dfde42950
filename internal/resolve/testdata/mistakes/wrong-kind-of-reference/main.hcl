cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

subnet "web" {
  network = network.net
  cidr    = "10.0.0.0/24"
}

network "net" {}

router "edge" {
  external_network = subnet.web
  subnets          = [network.net, subnet.web]
}
