cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

project "dev" {}

network "web" {
  for_each = toset([project.dev.id])
  name     = each.key
}
