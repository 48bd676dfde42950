cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "servers" {
  default = 4
}

locals {
  # What was meant is a difference.
  left = var.servers-1
  # Two elements have one key.
  first = { for name in ["web-1", "web-2", "db-1"] : substr(name, 0, 2) => name }
}
