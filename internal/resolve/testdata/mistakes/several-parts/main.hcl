cloud "demo" {
  openstack { cloud = "x" }
}

variable "sizes" {
  type    = object({ small = number, large = number, name = string })
  default = { small = "s", large = [] }
}

locals {
  servers = ["a", "192.0.2.1", "b"]
}

project "test" {
  quota = {
    cores     = "x"
    ram       = -2
    instances = "y"
    coers     = 5
    disks     = local.servers
  }
}

network "web" {}

network "db" {}

subnet "web" {
  network         = network.web
  cidr            = "10.0.0.0/24"
  dns_nameservers = ["ns1", "192.0.2.1", ("ns2")]
  allocation_pools = [
    { start = "10.0.0.2", end = "10.0.0.x" },
    { start = "10.0.0.y", end = "10.0.0.9" },
    { start = "10.0.0.9" },
  ]
}

subnet "local" {
  network         = network.web
  cidr            = "10.0.1.0/24"
  dns_nameservers = local.servers
}

instance "web" {
  image           = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor          = "f"
  security_groups = [network.web, "default", network.web.id, network.db]
}

node "n" {
  roles = ["compute", "contol-plane", "netwrk"]
}
