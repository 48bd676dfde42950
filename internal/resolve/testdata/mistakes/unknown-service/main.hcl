cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystoen" {}
  service "keystone" {}
  service "keystone" {}
}
network "waits" {
  depends_on = [service.keystnoe]
}
