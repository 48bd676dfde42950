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
    replace = var.generation
  }
}

network "other" {
  lifecycle {
    replace = [var.generaton, network.other.mtu]
  }
}
