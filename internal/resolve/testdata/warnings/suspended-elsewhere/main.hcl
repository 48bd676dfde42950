cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "a" {}

suspended {
  target = network.b
  reason = "it is to stay until the first of December"
}
suspended {
  target = network.a
}
suspended {
  target = cloud.test
  until  = "2026-12-01T00:00:00+01:00"
}
