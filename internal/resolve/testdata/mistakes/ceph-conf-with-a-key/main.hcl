cloud "test" {
  release         = "2026.1"
  namespace       = "stack"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    conf    = "[global]\nmon_host = 192.0.2.11\n[client.cinder]\n\tkey = not-to-be-shown\n"
    volumes = { secret = "ceph-volumes" }
  }
  service "cinder" {}
}
