cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {}

network "web" {}

locals {
  x = 1
}

locals {
  x = 2
}
