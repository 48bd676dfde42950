cloud "demo" {
  release = "2026.1"
  profile = "a"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

profile "a" {
  from = "b"
}

profile "b" {
  from = "a"
}
