cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "generation" {
  default = 1
}

network "web" {
  lifecycle {
    replace_triggered_by = var.generation
  }
}

network "other" {
  lifecycle {
    replace_triggered_by = [var.generaton, network.other.mtu]
  }
}
