cloud "demo" {
  openstack { cloud = "x" }
}

variable "name" {
  sensitive = true
  default   = "hunter2"
}

project "a" {
  name = var.name
}

project "b" {
  name = var.name
}

flavor "a" {
  name  = "small"
  vcpus = 1
  ram   = 512
}

flavor "b" {
  name  = sensitive("small")
  vcpus = 1
  ram   = 512
}
