cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "site_cidr" {
  default = "10.0.0.0/16"
}

network "web" {
  description = var.sit_cidr
}
