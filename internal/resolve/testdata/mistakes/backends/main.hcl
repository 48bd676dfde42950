cloud "test" {
  release         = "2026.1"
  storage_backend = "lvm"
  charts { repository = "charts" }
  service "glance" {
    backend "files" { driver = "cinder.volume.drivers.nfs.NfsDriver" }
  }
  service "cinder" {
    backend "a" { default = true }
    backend "b" {
      type    = "rbd"
      default = true
    }
    backend "c" { type = "nfs" }
    backend "d" {
      type = "lvm"
      pool = "volumes"
    }
    backend "e" {
      type         = "lvm"
      volume_group = "cinder-volumes"
    }
    backend "database" {
      type         = "lvm"
      volume_group = "other"
      options      = { lvm = { type = "thin" } }
    }
    backend "rbd1" { driver = "cinder.volume.drivers.nfs.NfsDriver" }
    backend "a-name-that-is-too-long-for-what-containers-are-called" {
      type  = "nfs"
      share = "nfs.example.org:/volumes"
    }
  }
}
