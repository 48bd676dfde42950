cloud "demo" {
  openstack { cloud = "x" }
}

variable "sizes" {
  type    = map(number)
  default = { a = "x", b = "y" }

  validation {
    condition     = length(var.sizes) > var.other && local.most
    error_message = "there are too few: ${var.sizs}"
  }
}

variable "site" {
  default = [local.site, 1 / 0]
}

variable "zone" {
  default = zone
}
