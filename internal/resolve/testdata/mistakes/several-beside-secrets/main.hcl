cloud "demo" {
  openstack { cloud = "x" }
}

variable "cores" {
  sensitive = true
  default   = "hunter2"
}

variable "quota" {
  sensitive = true
  default   = { hunter3 = 5 }
}

project "a" {
  quota = { cores = var.cores, ram = -7 }
}

project "b" {
  quota = merge(var.quota, { ram = 1 })
}

project "c" {
  quota = { cores = var.cores, ram = 1 / 0, instances = "y" }
}

subnet "web" {
  network         = network.web
  cidr            = sensitive("10.1.2.3/24")
  dns_nameservers = [var.cores, "ns1", secret(local.missing, "key")]
}

network "web" {
  shared      = sensitive("True")
  description = upper(1, var.cores)
}

router "edge" {
  subnets = [var.cores, network.web]
}
