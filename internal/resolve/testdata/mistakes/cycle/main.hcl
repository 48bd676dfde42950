cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

locals {
  a = network.web.name
}

network "web" {
  description = subnet.web.name
}

subnet "web" {
  network = network.web
  cidr    = "10.0.0.0/24"
  name    = local.a
}

project "self" {
  description = project.self.id
}
