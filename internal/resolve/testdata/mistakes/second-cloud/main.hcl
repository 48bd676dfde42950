cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

cloud "other" {
  openstack {
    cloud = "other"
  }
}
