cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

variable "count" {
  type    = number
  default = "many"
}

variable "names" {
  type    = lst(string)
  default = []
}
