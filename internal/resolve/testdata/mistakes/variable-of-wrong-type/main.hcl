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

variable "size" {
  type    = object({ gigabytes = number })
  default = { gigabytes = "x" }
}

variable "names" {
  type    = lst(string)
  default = []
}
