cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {}

subnet "web" {
  cidr = "10.1.0.0/24"
}
