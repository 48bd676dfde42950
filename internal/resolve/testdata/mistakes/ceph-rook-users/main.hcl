cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    rook_namespace = "rook-ceph"
    admin_secret   = "ceph-admin"
    images         = { secret = "ceph-images" }
    volumes        = { user = "Cinder_1" }
  }
  service "glance" {}
  service "cinder" {}
  service "ceph-adapter-rook" {}
}
