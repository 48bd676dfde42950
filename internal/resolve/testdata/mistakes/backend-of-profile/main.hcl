cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  profile         = profile.volumes
  charts { repository = "charts" }
  ceph {
    mon_hosts    = ["192.0.2.11"]
    admin_secret = secret("ceph-admin", "key")
    volumes      = { secret = "Ceph Volumes" }
  }
  service "cinder" {
    backend "san" {
      driver = secret("san", "driver")
    }
  }
}

profile "volumes" {
  service "cinder" {
    backend "fast" { type = "rbd" }
  }
}
