variable "user" {
  default   = "hunter"
  sensitive = true
}

cloud "demo" {
  release         = "2026.1"
  storage_backend = "ceph"
  charts { repository = "charts" }
  ceph {
    mon_hosts    = ["192.0.2.11"]
    admin_secret = "ceph-admin"
    volumes      = { pool = "volumes" }
  }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}
  service "glance" {}
  service "cinder" {
    replicas = { api = 2 }
    backend "slow" {
      type    = "rbd"
      default = true
    }
    backend "fast" {
      type = "rbd"
      pool = "volumes-ssd"
      options = {
        image_volume_cache_max_size_gb = 500
        rbd_max_clone_depth            = null
      }
    }
    backend "disks" { type = "lvm" }
    backend "files" {
      type  = "nfs"
      share = "nfs.example.org:/volumes"
    }
    backend "san" {
      driver = "cinder.volume.drivers.san.san.SanISCSIDriver"
      iscsi  = true
      options = {
        san_ip       = "192.0.2.10"
        san_login    = var.user
        san_password = secret("san", "password")
      }
    }
  }
}
