cloud "demo" {
  openstack { cloud = "x" }
}

network "a" {
  description = network.b.description
  mtu         = 90000
}

network "b" {
  description = "${network.a.description}${1 / 0}"
  mtu         = "jumbo"
}

locals {
  one = [local.two, upperr("x")]
  two = local.one
}
