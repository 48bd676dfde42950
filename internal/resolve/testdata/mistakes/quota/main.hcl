cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

project "dev" {
  quota = { instances = 5, core = 3 }
}

project "test" {
  quota = { cores = -5 }
}
