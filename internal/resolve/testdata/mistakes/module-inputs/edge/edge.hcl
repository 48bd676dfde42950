variable "name" {
  type = string
}

variable "cidr" {
  type = string

  validation {
    condition     = can(cidrnetmask(var.cidr))
    error_message = "not a network: ${var.cidr}"
  }
}

network "web" {
  name = var.name
}
