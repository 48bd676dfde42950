cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "ports" {
  default   = [80, 443]
  sensitive = true
}

network "web" {}

security_group "web" {
  dynamic "rule" {
    for_each = network.web.tags
    content {
      direction = "ingress"
    }
  }

  dynamic "rule" {
    for_each = 80
    content {
      direction = "ingress"
    }
  }

  dynamic "rule" {
    for_each = var.ports
    content {
      direction = "ingress"
    }
  }

  dynamic "rule" {
    for_each = range(1001)
    content {
      direction = "ingress"
    }
  }

  dynamic "rule" {
    for_each = { web = 80, dns = 70000 }
    content {
      direction = "ingress"
      port_min  = rule.value
      protocol  = rule.key.name
    }
  }
}
security_group "misspelt" {
  dynamic "rule" {
    for_eac = [1]
    content {
      direction = "ingress"
    }
  }
}
