cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {
  depends_on = [netwrk.other, service.nova, network.other, "text", network.web.id]
}
