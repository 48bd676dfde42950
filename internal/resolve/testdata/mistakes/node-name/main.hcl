cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

node "Worker_1" {}

node "worker-2" {}

node "second" {
  name = "worker-2"
}
