cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {}

profile "base" {}

profile "unknown" {
  from = [profile.base, "bsae"]
}

profile "null" {
  from = [profile.base, null]
}

profile "network" {
  from = [network.web]
}

profile "map" {
  from = { a = profile.base }
}
