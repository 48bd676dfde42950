cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "neutron" {
    conf = { neutron = { DEFAULT = { net = network.web.id } } }
  }
}

network "web" {}
