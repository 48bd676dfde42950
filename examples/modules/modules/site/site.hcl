# A site: a network with servers in it. The name is part of every name, as there are several sites.

network "site" {
  name        = "site-${var.name}"
  project     = var.project
  description = "Servers of the site ${var.name}"
}

subnet "site" {
  name    = "site-${var.name}"
  project = var.project
  network = network.site
  cidr    = local.cidr
}

# Modules can call modules, also those beside their own directory.
module "servers" {
  source     = "../servers"
  depends_on = [subnet.site]

  prefix   = "site-${var.name}"
  names    = var.servers
  project  = var.project
  image    = var.image
  flavor   = var.flavor
  networks = [network.site.id]
}

locals {
  cidr = cidrsubnet(var.cidr, 8, 4)
}

output "network" {
  value       = network.site.id
  description = "The id of the site's network."
}

output "cidr" {
  value       = local.cidr
  description = "The addresses of the site's servers."
}
