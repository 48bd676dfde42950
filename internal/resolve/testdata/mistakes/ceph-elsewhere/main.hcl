cloud "test" {
  release         = "2026.1"
  storage_backend = "lvm"
  charts { repository = "charts" }
  ceph { mon_hosts = ["192.0.2.11"] }
  service "glance" {}
}
