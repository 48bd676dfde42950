cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

security_group "web" {
  dynamic "rules" {
    for_each = [80]
    content {
      direction = "ingress"
    }
  }

  dynamic "rule" {
    for_each = [80]
    itertor  = port
    labels   = []
    content {
      direction = "ingress"
    }
  }

  dynamic "rule" {
    for_each  = [80]
    direction = "ingress"
    port_min  = 80
  }

  dynamic "rule" {
    iterator = port
    content {
      direction = "ingress"
      port_max  = port.valeu
    }
  }

  dynamic "rule" {
    for_each = [80]
    iterator = "port"
    content {
      direction = "ingress"
    }
  }

  dynamic "rule" {
    for_each = [80]
    content {
      direction = "ingress"
      port_min  = rule.port
    }
  }

  rule {
    direction = "ingress"
    port_min  = rule.value
  }
}

node "worker-1" {
  dynamic "label" {
    for_each = ["a"]
    content {}
  }
}
