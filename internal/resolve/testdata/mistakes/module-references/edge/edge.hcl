variable "name" {}

network "inner" {
  name        = var.name
  description = network.web.id
}

output "id" {
  value = network.inner.id
}
