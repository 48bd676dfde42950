cloud "test" {
  release         = "2026.1"
  storage_backend = "lvm"
  charts { repository = "charts" }
  service "glance" { storage = "ceph" }
  service "nova" { storage = "pvc" }
}
