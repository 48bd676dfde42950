cloud "demo" {
  release = "2026.1"

  charts {
    repository = "oci://registry.example.org/openstack-helm"
  }

  service "keystone" {
    on_failure = "roll-back"
    retry      = null
  }
  service "glance" {
    retry = ["again"]
  }
}

chart "cert-manager" {
  on_failure = "delete"
}

profile "base" {
  service "keystone" {
    on_failure = "rollback"
  }
}
