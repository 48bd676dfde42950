variable "v" { type = number }
