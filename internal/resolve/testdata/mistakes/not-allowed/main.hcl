cloud "demo" {
  release = "2026.1"
  network_backend = "ovm"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

node "worker-1" {
  roles = ["compute", "contol-plane"]
}
security_group "protocols" {
  rule {
    direction = "ingress"
    protocol  = "tpc"
  }
  rule {
    direction = "ingress"
    protocol  = 6
  }
  rule {
    direction = "ingress"
    protocol  = "300"
  }
}
