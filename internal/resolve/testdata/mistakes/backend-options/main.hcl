cloud "test" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  service "cinder" {
    backend "fast" {
      type    = "rbd"
      default = true
      options = {
        volume_backend_name = "ssd"
        volume_driver       = "cinder.volume.drivers.nfs.NfsDriver"
      }
    }
    backend "san" {
      driver  = "cinder.volume.drivers.san.san.SanISCSIDriver"
      options = { san_ip = "192.0.2.10", volume_driver = null }
    }
  }
}
