variable "s" {
  type = string
  validation {
    condition = length(var.s) > 100
    error_message = "too short"
  }
  validation {
    condition = contains(["x"], var.s)
    error_message = "not one of"
  }
}
project "p" { name = var.s }
