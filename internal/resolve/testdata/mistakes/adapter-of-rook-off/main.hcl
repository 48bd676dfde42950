cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  service "glance" { storage = "pvc" }
  service "cinder" {}
  service "nova" { enabled = false }
  service "ceph-adapter-rook" { enabled = false }
}
