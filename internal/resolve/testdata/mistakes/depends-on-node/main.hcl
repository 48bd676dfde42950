cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

node "worker-7" {
  roles = ["compute"]
}

network "web" {
  depends_on = [node.worker-8]
}

network "other" {
  description = node.worker-7.name
  depends_on  = [node.worker-7.name]
}
