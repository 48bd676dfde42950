cloud "test" {
  openstack { cloud = "test" }
}
profile "dense" { slot = 1 }
profile "gpu" {
  from = profile.dense
  slot = 1
}
profile "none" { slot = 0 }
profile "many" { slot = 10 }
profile "half" { slot = 1.5 }
profile "text" { slot = "first" }
profile "null" { slot = null }
