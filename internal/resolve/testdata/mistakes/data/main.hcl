cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

data "network" "public" {}

data "netwrk" "other" {
  name = "x"
}

data "network" "shared" {
  mtu = 1500
}

subnet "web" {
  network = network.shared
  cidr    = "10.0.0.0/24"
}
