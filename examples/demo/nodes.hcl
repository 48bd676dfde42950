# Settings of services, and the nodes that use them.

profile "base" {
  service "nova" {
    replicas = { conductor = 2, scheduler = 1 }
    conf     = { nova = { DEFAULT = { cpu_allocation_ratio = 4, ram_allocation_ratio = 1 } } }
  }
  service "neutron" {
    conf = { neutron = { DEFAULT = { global_physnet_mtu = 1500 } } }
  }
}

# Hosts for instances that need all of their processors.
profile "dense" {
  from = profile.base
  slot = 1 # by which charts choose these hosts; each such profile has its own

  service "nova" {
    conf = { nova = { DEFAULT = { cpu_allocation_ratio = 1 } } }
  }
}

node "control-1" {
  roles = ["control-plane", "network"]
}

node "worker-1" {
  roles = ["compute"]
}

node "worker-2" {
  roles   = ["compute"]
  profile = profile.dense
}
