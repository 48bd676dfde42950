cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "net" {}

image "cirros" {
  source = "https://images.example.org/cirros.img"
}

flavor "small" {
  vcpus = 1
  ram   = 64
}

instance "web" {
  image    = image.cirros
  flavor   = flavor.small
  networks = network.net
}
