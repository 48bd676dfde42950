cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {
  for_each = ["a", "b"]
  name     = each.key
}
