# An OpenStack that somebody else runs: nothing is deployed, only what is inside is managed.

cloud "external" {
  region = "RegionOne"

  openstack {
    auth_url = "https://keystone.example.org/v3"
    secret   = "openstack-credentials"
  }
}

# What is looked up is told from what tenants call the same by what they cannot have.
data "network" "public" {
  name     = "public"
  external = true
}

project "shop" {
  description = "The shop"
}

network "web" {
  project = project.shop
}

subnet "web" {
  project = project.shop
  network = network.web
  cidr    = "10.30.0.0/24"
}

router "edge" {
  project          = project.shop
  external_network = data.network.public
  subnets          = [subnet.web]
}

# What every server of the shop has in common: they reach each other, and nobody else does.
security_group "shop" {
  project = project.shop

  rule {
    direction = "ingress"
    self      = true
  }
}

# Images that others keep: data.image.base["debian"] and data.image.base["ubuntu"].
data "image" "base" {
  for_each   = { debian = "debian-13", ubuntu = "ubuntu-24.04" }
  name       = each.value
  visibility = "public"
}
