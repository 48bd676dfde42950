cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph { rook_namespace = "rook-ceph" }
  service "glance" {}
  service "ceph-adapter-rook" { enabled = false }
}
