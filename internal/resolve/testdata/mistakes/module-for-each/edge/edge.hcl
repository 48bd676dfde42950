variable "name" {
  default = "x"
}

network "web" {
  name        = var.name
  description = each.key
}

output "id" {
  value = network.web.id
}
