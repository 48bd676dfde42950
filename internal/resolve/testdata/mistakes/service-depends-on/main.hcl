cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "memcached" {
    depends_on = [chart.rok, manifest.several["c"], node.nothere, "chart.rook", service.mariadb]
  }
}

chart "rook" {}

manifest "several" {
  for_each = toset(["a", "b"])
  objects  = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = each.key } }
}

profile "base" {
  service "memcached" {
    depends_on = [chart.rook]
  }
}
