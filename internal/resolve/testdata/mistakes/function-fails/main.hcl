cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

subnet "web" {
  network = network.web
  cidr    = cidrsubnet("10.0.0.0/24", 4, 16)
}

network "web" {
  description = join(", ", "a")
}
