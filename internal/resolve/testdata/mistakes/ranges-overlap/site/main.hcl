variable "network" {}

subnet "inner" {
  network = var.network
  cidr    = "10.1.2.0/24"
}
