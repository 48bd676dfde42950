cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

profile "a" {
  from = profile.b
}

profile "b" {
  from = profile.a
}
