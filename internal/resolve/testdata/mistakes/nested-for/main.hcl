cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

locals {
  a = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : [for d in range(1000) : 1]]]]
}
