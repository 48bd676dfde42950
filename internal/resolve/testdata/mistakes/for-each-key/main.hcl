cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {
  for_each = toset(["blue", "green"])
  name     = each.key
}

subnet "one" {
  network = network.web["gren"]
  cidr    = "10.0.0.0/24"
}

subnet "two" {
  network = network.web.id
  cidr    = "10.0.1.0/24"
}

subnet "three" {
  network = network.web
  cidr    = "10.0.2.0/24"
}

subnet "four" {
  network = network.plain["a"]
  cidr    = "10.0.2.0/24"
}

network "plain" {}
