cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "site" {
  type = string
}

network "web" {
  description = var.site
}
