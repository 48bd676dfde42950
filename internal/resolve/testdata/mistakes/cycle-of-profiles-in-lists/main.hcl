cloud "demo" {
  release = "2026.1"
  profile = "c"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

profile "base" {}

profile "a" {
  from = ["base", "b"]
}

profile "b" {
  from = [profile.base, "c"]
}

profile "c" {
  from = ["a"]
}
