cloud "demo" {
  openstack { cloud = "x" }
}

project "shop" {}

network "web" {
  project = project.shop.name
}

network "one" {
  project = (network.web.id)
}

# These are right: the id, and attributes that hold one.
network "right" {
  project = project.shop.id
}

network "same" {
  project = network.right.project
}

network "many" {
  for_each = toset(["a"])
  name     = each.key
}

subnet "a" {
  network = network.many["a"].name
  cidr    = "10.0.0.0/24"
}

subnet "b" {
  for_each = toset(["a"])
  name     = each.key
  network  = "${network.many[each.key].name}"
  cidr     = "10.0.1.0/24"
}

router "edge" {
  subnets = ["a", subnet.a, subnet.a.name, network.web, subnet.a.network, "7d3b2c52-2b8a-4f4b-9a3f-0c6ab0b3e0c5"]
}

keypair "ops" {
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops"
}

instance "web" {
  image    = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor   = network.web.mtu
  keypair  = keypair.ops.name
  networks = [network.right, network.right.id, "web"]
}
