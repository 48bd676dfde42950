cloud "demo" {
  release         = "2026.1"
  network_backend = "ovn"
  profile         = profile.base
  charts {
    repository = "charts"
  }
  service "mariadb" {
    replicas       = 3
    priority_class = "high"
    resources      = { api = { requests = { cpu = "1" } } }
  }
  service "keystone" {
    disruption_budget = { server = 1 }
    tolerations       = [{ key = "dedicated", effect = "NoSchedule" }]
    resources         = { api = { requests = { memory = "2Gi" } } }
  }
  service "heat" {
    tolerations = [{ key = "dedicated", operator = "Exists", effect = "Never" }]
  }
  service "nova" {
    resources = {
      osapi   = { requests = { cpu = "1500m" }, limits = { cpu = 1 } }
      compute = { limits = { memory = "4Gi" } }
    }
    anti_affinity = "required"
  }
  service "libvirt" {
    anti_affinity = "required"
  }
  service "openvswitch" {
    disruption_budget = 1
  }
  service "ovn" {
    replicas = { ovn_ovsdb_nb = 2, ovn_northd = 2 }
  }
  service "designate" {
    tolerations = [{ operator = "Exists" }]
  }
}

profile "base" {
  service "keystone" {
    resources = { api = { limits = { memory = "1Gi" } } }
  }
}
