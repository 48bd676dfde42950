cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  service "ovn" {}
}
