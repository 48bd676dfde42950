cloud "test" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {
    images = {
      keystone_api      = "keystone:2026.1"
      keystone_db_sync  = "registry.example.org/keystone"
      keystone_fernet   = "https://registry.example.org/keystone:2026.1"
      keystone_fernet_2 = "registry.example.org/keystone:2026.1@sha256:0123"
    }
  }
}

profile "gpu" {
  service "keystone" {
    images = { keystone_api = "registry.example.org/keystone:2026.1" }
  }
}

node "worker" {
  roles   = ["compute"]
  profile = profile.gpu
}
