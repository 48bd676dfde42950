cloud "test" {
  release   = "2026.1"
  namespace = "kube-system"
  charts { repository = "charts" }
  service "keystone" {}
}
