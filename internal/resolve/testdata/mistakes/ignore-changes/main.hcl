cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {
  lifecycle {
    ignore_changes = [descripton, "tags", id, all, tags["a"]]
  }
}

network "other" {
  lifecycle {
    ignore_changes = "all"
  }
}

security_group "web" {
  lifecycle {
    ignore_changes = [rules]
  }
}
