variable "hidden" {
  sensitive = true
  default   = "registry.example.org/canary:1"
}

cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  tls {
    issuer   = { kind = "Authority", name = "Acme" }
    services = ["keystone", "magnum", var.hidden]
    image    = var.hidden
  }
  service "mariadb" {}
}
