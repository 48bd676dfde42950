# Servers that differ by their names only.

variable "prefix" {
  type        = string
  description = "What every name begins with."
}

variable "names" {
  type        = set(string)
  description = "One server is started for each of these names."
}

variable "project" {
  description = "The project that the servers belong to."
}

variable "image" {
  description = "What the servers boot from."
}

variable "flavor" {
  description = "How large the servers are."
}

variable "networks" {
  type        = list(string)
  description = "The ids of the networks that the servers are connected to."
}

instance "server" {
  for_each = var.names

  name     = "${var.prefix}-${each.key}"
  project  = var.project
  image    = var.image
  flavor   = var.flavor
  networks = var.networks
}

output "ids" {
  value       = { for name, server in instance.server : name => server.id }
  description = "The ids of the servers by name."
}
