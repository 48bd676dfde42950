cloud "demo" {
  openstack { cloud = "x" }
}

project "failed" {
  quota = { foo = 1 / 0, bar = 2, cores = "x" }
}

project "lost" {
  quota = { cores = local.cores, ram = -7, instances = "y", bar = 3 }
}

network "web" {
  description = "${var.site}-${1 / 0}-${upperr("x")}"
  mtu         = cidr
  project     = local.null_in_text
}

locals {
  # The values that these have, as far as they go, are looked at where they are used, but for the text.
  null_in_text = "a${null}b"
  sizes        = { mtu = "jumbo", other = local.missing }
}

network "other" {
  mtu     = local.sizes.mtu
  project = local.sizes.other
}

router "edge" {
  subnets = [subnet.missing, network.broken, "web", 5]
}

network "broken" {
  mtu = 5
}

subnet "web" {
  network         = network.broken
  cidr            = null
  dns_nameservers = [local.missing, "ns1", 1 / 0]
}
