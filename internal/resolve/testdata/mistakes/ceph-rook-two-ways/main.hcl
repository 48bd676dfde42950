cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    rook_namespace = "rook-ceph"
    conf           = "[global]\nmon_host = 192.0.2.11\n"
  }
  service "glance" {}
  service "ceph-adapter-rook" {}
}
