cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    mon_hosts = ["192.0.2.11"]
    images    = { pool = "images", secret = "ceph-images" }
  }
  service "glance" {}
  service "ceph-adapter-rook" {}
}
