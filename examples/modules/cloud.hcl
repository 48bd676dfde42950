# One module for each site, in an OpenStack that somebody else runs.

cloud "edge" {
  openstack {
    cloud = "edge"
  }
}

project "edge" {
  description = "Everything at the sites"
}

flavor "small" {
  vcpus = 1
  ram   = 512
  disk  = 1
}

data "image" "cirros" {
  name       = "cirros"
  visibility = "public" # which no tenant's is
}

# Two instances of one module: module.site["ber"] and module.site["fra"].
module "site" {
  source   = "./modules/site"
  for_each = var.sites

  name    = each.key
  cidr    = each.value.cidr
  servers = each.value.servers
  project = project.edge
  image   = data.image.cirros
  flavor  = flavor.small
}

# What a module hands out can be used like any other value.
security_group "sites" {
  project     = project.edge
  description = "The sites talk to each other"

  rule {
    direction   = "ingress"
    protocol    = "icmp"
    remote_cidr = module.site["fra"].cidr
  }
  rule {
    direction   = "ingress"
    protocol    = "icmp"
    remote_cidr = module.site["ber"].cidr
  }
}

# A host for looking after the sites, once both are there.
module "lookout" {
  source     = "./modules/servers"
  depends_on = [module.site]

  prefix   = "lookout"
  names    = ["a"]
  project  = project.edge
  image    = data.image.cirros
  flavor   = flavor.small
  networks = [for site in module.site : site.network]
}
