variable "name" {}

network "n" {
  name = var.name
}
