cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "vlan" {
  type    = number
  default = 5000

  validation {
    condition     = var.vlan < 4095
    error_message = "a VLAN has a number below 4095"
  }
}
