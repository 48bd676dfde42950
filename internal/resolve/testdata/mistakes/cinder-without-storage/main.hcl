cloud "demo" {
  release = "2026.1"
  charts {
    repository = "https://charts.example.org"
  }
  service "cinder" {}
}
