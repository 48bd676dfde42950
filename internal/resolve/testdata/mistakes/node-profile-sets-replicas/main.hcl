cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
  service "nova" {}
}

profile "gpu" {
  service "nova" {
    replicas = 3
    conf     = { nova = {} }
  }
}

node "worker-1" {
  roles   = ["compute"]
  profile = profile.gpu
}
