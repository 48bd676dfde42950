cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

profile "base" {
  service "keystone" {
    enabled = false
  }
}
