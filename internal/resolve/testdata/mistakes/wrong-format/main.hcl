cloud "demo" {
  release = "bobcat"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {
  mtu = 10
}

subnet "web" {
  network         = network.web
  cidr            = "10.0.0.7/24"
  dns_nameservers = ["ns1"]
}
