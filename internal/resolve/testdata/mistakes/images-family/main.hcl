cloud "test" {
  openstack {
    cloud = "test"
  }
  images {
    family = "kolla"
    lock   = "digest"
  }
  tls {
    issuer = { kind = "ClusterIssuer", name = "openstack-ca" }
    image  = "nginx"
  }
}

network "web" {}
