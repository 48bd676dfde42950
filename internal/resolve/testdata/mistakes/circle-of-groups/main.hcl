cloud "c" {
  openstack {
    cloud = "c"
  }
}

security_group "web" {
  rule {
    direction    = "ingress"
    remote_group = security_group.db
  }
}

security_group "db" {
  rule {
    direction    = "ingress"
    remote_group = security_group.web
  }
}
