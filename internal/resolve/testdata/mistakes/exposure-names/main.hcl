cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  exposure {
    domain  = "10.0.0.1"
    gateway = { name = null }
    issuer  = { name = null, kind = "" }
  }
  service "mariadb" {}
}
