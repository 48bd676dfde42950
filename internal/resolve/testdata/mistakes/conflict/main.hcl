cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {}

subnet "web" {
  network    = network.web
  cidr       = "10.0.0.0/24"
  gateway_ip = "10.0.0.1"
  no_gateway = true
}
