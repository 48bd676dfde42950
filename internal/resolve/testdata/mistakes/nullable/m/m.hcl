variable "text" {
  nullable = false
}

network "n" {
  description = var.text
}
