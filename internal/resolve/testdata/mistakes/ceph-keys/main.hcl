cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    conf    = "[global]\nfsid = 11111111-2222-3333-4444-555555555555\n"
    images  = { pool = "images" }
    volumes = { user = "client.volumes", secret = "ceph-volumes" }
    backups = { user = "backup" }
  }
  service "glance" {}
  service "cinder" {}
}
