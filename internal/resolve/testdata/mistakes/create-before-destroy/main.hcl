cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

flavor "small" {
  vcpus = 1
  ram   = 512

  lifecycle {
    create_before_destroy = true
  }
}

router "web" {
  lifecycle {
    create_before_destroy = "often"
  }
}
