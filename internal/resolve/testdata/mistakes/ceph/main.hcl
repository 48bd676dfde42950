cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    mon_hosts = ["192.0.2.11", "v2:192.0.2.12", "192.0.2.13:port"]
    conf      = file("ceph.conf")
    images    = { pool = "my images", key = "ceph-images" }
    volumes   = { secret = secret("ceph-volumes", "key") }
    backups   = { user = "client.backup/er" }
    instances = "vms"
  }
  ceph {}
  service "glance" {}
}
