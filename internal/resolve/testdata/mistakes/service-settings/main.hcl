cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {
    storage_size = "5Gi"
    version      = "4"
  }
  service "libvirt" {
    replicas = 2
  }
  service "nova" {
    replicas = { osapi = 2, conducter = 1 }
    conf     = "x = y"
  }
}
