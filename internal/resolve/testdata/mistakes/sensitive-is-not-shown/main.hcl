cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "password" {
  sensitive = true
  default   = "hunter2"
}

network "web" {
  mtu         = var.password
  description = jsondecode(var.password).x
}

variable "pin" {
  type      = number
  sensitive = true
  default   = "hunter3"
}
