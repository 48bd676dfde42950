cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  tls {
    issuer   = { name = "authority" }
    services = []
  }
  service "mariadb" {}
}
