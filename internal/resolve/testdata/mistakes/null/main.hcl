cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {
  mtu = null
}

subnet "web" {
  network = null
  cidr    = "10.0.0.0/24"
}
