variable "name" {}

variable "sizes" {
  type = map(number)
}

network "web" {
  name = "${var.name}-${1 / 0}"
  mtu  = 90000
}

output "list" {
  value = [var.name, 1 / 0]
}

output "text" {
  value = "x"
}
