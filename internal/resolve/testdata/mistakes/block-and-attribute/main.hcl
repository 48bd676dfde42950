cloud "demo" {
  release = "2026.1"
  charts = {
    repository = "charts"
  }
  service "keystone" {}
}

security_group "web" {
  rule = [{ direction = "ingress" }]

  tags {}
}

security_group "inner" {
  rules = [{ direction = "ingress" }]
}
