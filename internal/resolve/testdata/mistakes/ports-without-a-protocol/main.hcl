cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "protocol" {
  type    = string
  default = null
}

security_group "web" {
  rule {
    direction = "ingress"
    port_min  = 80
  }
  rule {
    direction = "ingress"
    protocol  = var.protocol
    port_min  = 80
    port_max  = 90
  }
  dynamic "rule" {
    for_each = [443]
    content {
      direction = "ingress"
      port_max  = rule.value
    }
  }
}
