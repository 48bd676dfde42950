cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "rabbitmq" {
    resources = {
      server = {
        requests = { cpu = "half", memory = "2Gi" }
        limits   = { cpu = 2, memory = 4096 }
      }
    }
  }
  service "keystone" {
    replicas          = 2
    log_level         = "trace"
    anti_affinity     = "always"
    topology_key      = "a zone"
    priority_class    = "High"
    disruption_budget = -1
    resources         = { api = { request = { cpu = "1" } } }
  }
}
