# What holds for the whole cloud.
profile "base" {
  service "mariadb" {
    disruption_budget = 2 # a node that is drained waits until the others have all data
    anti_affinity     = "required"
    resources = {
      server = { requests = { cpu = "1", memory = "4Gi" }, limits = { memory = "8Gi" } }
    }
  }
  service "rabbitmq" {
    anti_affinity = "required"
    resources = {
      server = { requests = { cpu = "1", memory = "2Gi" }, limits = { cpu = "4", memory = "4Gi" } }
    }
  }
  service "memcached" { replicas = 3 }
  service "keystone" {
    replicas          = 3
    disruption_budget = 2
  }
  service "glance" { replicas = 3 }
  service "placement" { replicas = 3 }
  service "neutron" {
    replicas = { server = 3, rpc_server = 3 }
  }
  service "nova" {
    replicas = { osapi = 3, api_metadata = 3, conductor = 3, scheduler = 3, novncproxy = 3 }
  }
  service "cinder" {
    replicas = { api = 3, scheduler = 3 } # of volume and backup there is one, which starts elsewhere when its node is lost
  }
  service "ovn" {
    replicas = { ovn_ovsdb_nb = 3, ovn_ovsdb_sb = 3, ovn_northd = 2 } # the databases go on while most of them do
  }
  service "heat" {
    replicas = { api = 3, cfn = 3, engine = 3 }
  }
  service "horizon" { replicas = 3 }
}

# Instances that share no processor with others.
profile "dedicated" {
  from = profile.base
  slot = 1

  service "nova" {
    conf = { nova = { DEFAULT = { cpu_allocation_ratio = 1 } } }
  }
}
