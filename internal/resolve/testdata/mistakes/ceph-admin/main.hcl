cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    admin_secret = "ceph-admin"
    volumes      = { secret = "ceph-volumes" }
  }
  service "cinder" {}
  service "nova" {}
}
