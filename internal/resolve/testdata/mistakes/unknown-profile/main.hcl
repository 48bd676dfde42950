cloud "demo" {
  release = "2026.1"
  profile = profile.bas
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

profile "base" {}

node "worker-1" {
  profile = "bsae"
}
