# The network behind floating IPs. It carries no instances itself.
network "external" {
  external                  = true
  provider_network_type     = "flat"
  provider_physical_network = "external"
}

subnet "external" {
  network     = network.external
  cidr        = "203.0.113.0/24"
  enable_dhcp = false
}
