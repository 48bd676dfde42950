cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  openstack {
    secret = "keystone-keystone-admin"
  }
  exposure {
    domain        = "cloud.example.org"
    ingress_class = "nginx"
  }
  service "keystone" {}
}
