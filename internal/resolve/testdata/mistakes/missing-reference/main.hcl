cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {}

subnet "web" {
  network = network.wbe
  cidr    = "10.0.0.0/24"
}
