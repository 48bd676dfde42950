# What is in the cloud: a project with its network, and web servers in it.

locals {
  web_cidr = cidrsubnet(var.site_cidr, 8, 4)
  web_port = 8080
}

project "dev" {
  description = "Development"
  quota       = { instances = 20, cores = 64 }
}

network "public" {
  project  = project.dev
  external = true
}

subnet "public" {
  project     = project.dev
  network     = network.public
  cidr        = "203.0.113.0/24"
  enable_dhcp = false
}

network "web" {
  project     = project.dev
  description = "Web servers"
}

subnet "web" {
  project         = project.dev
  network         = network.web
  cidr            = local.web_cidr
  dns_nameservers = [cidrhost(local.web_cidr, 2)]

  allocation_pools = [
    { start = cidrhost(local.web_cidr, 10), end = cidrhost(local.web_cidr, 200) },
  ]
}

router "edge" {
  project          = project.dev
  external_network = network.public
  subnets          = [subnet.web]

  # A gateway needs an address, so the outer subnet has to be there first.
  depends_on = [subnet.public]
}

security_group "web" {
  project     = project.dev
  description = "SSH from the site, HTTP from everywhere"

  rule {
    direction   = "ingress"
    protocol    = "tcp"
    port_min    = 22
    port_max    = 22
    remote_cidr = var.site_cidr
  }
  rule {
    direction = "ingress"
    protocol  = "tcp"
    port_min  = local.web_port
    port_max  = local.web_port
  }
}

flavor "small" {
  vcpus = 1
  ram   = 512
  disk  = 1
}

keypair "ops" {
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops@example.org"
}

image "cirros" {
  source      = "https://images.example.org/cirros-0.6.3-x86_64-disk.img"
  checksum    = "sha256:7d6355852aeb6dbcd191bcda7cd74f1536cfe5cbf8a10495a7283a8396e4b75b"
  disk_format = "qcow2"
  visibility  = "public"
  min_disk    = 1
}

instance "web" {
  for_each = var.web_servers

  name            = "web-${each.key}"
  project         = project.dev
  image           = image.cirros
  flavor          = flavor.small
  networks        = [network.web]
  keypair         = keypair.ops
  security_groups = [security_group.web]
  metadata        = { tier = "web", port = local.web_port }

  # An instance has no address before its network has some.
  depends_on = [subnet.web]

  lifecycle {
    drift           = "correct"
    prevent_destroy = false
  }
}
