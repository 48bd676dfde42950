cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  service "cinder" {
    backend "Fast" { type = "rbd" }
    backend "ceph" {
      type   = "rdb"
      driver = "cinder.volume.drivers.rbd.RBDDriver"
      pool   = "a pool"
    }
    backend "nfs" {
      type  = "nfs"
      share = "/volumes"
    }
    backend "lvm" {
      type         = "lvm"
      volume_group = "-vg"
      iscsi        = true
      options      = { lvm_type = append("thin") }
    }
    backend "san" {
      driver  = "SanISCSIDriver"
      options = "san_ip=192.0.2.10"
    }
    backend "san" {}
  }
}
