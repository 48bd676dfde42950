cloud "test" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
  service "glance" {
    enabled = false
  }
}

removed {
  from = service.glance
}
removed {
  from = profile.a
}
