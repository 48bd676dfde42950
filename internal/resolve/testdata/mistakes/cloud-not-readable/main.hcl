# With a cloud that could not be read, nothing is told that it may say.
cloud "demo" "other" {
  profile = profile.base
  service "keystone" {}
}

profile "base" {
  service "keystone" {
    replicas = 3
  }
}

node "n1" {
  profile = profile.base
  roles   = ["compute"]
}

network "waits" {
  depends_on = [service.keystone]
}
