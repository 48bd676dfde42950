variable "hidden" {
  sensitive = true
  default   = "canary"
}

cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  exposure {
    domain        = "Cloud_example"
    hosts         = { horizon = "https://dashboard.example.org", nova = null }
    ingress_class = "nginx"
    gateway       = { namespace = "gateways", name = "Public" }
    issuer        = { kind = "Authority", name = "acme" }
    certificate   = var.hidden
    annotations   = { a = var.hidden }
    tls           = "perhaps"
  }
  service "mariadb" {}
}
