cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

# What this one has keeps everything from being told that would follow from its being left out, and what is
# wrong in it is told all the same.
cloud "other" {
  release = upper(1, 2)
  profile = profile.base
  openstack {
    cloud = var.nothere
  }
  service "nova" {}
}

profile "base" {
  service "nova" {
    conf = { nova = { DEFAULT = { debug = true } } }
  }
  service "glance" {}
  service "keystone" {
    replicas = 3
  }
}

node "n1" {
  profile = profile.base
  roles   = ["compute"]
}

network "waits" {
  depends_on = [service.nova]
}
network "waits-wrongly" {
  depends_on = [service.heat]
}
