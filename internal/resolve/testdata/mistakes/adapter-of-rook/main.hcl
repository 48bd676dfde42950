cloud "test" {
  release         = "2026.1"
  storage_backend = "lvm"
  charts { repository = "charts" }
  service "glance" {}
  service "ceph-adapter-rook" {
    replicas  = 2
    log_level = "debug"
  }
}
