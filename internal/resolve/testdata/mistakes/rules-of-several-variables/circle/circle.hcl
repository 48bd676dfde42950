variable "a" {
  default = 1

  validation {
    condition     = var.a < var.b
    error_message = "a is less"
  }
}

variable "b" {
  default = 2

  validation {
    condition     = var.a < var.b
    error_message = "a is less"
  }
}
