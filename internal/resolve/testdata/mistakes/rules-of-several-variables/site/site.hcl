variable "first" {
  type = number

  validation {
    condition     = var.first < var.last
    error_message = "the first is before the last"
  }
}

variable "last" {
  type = number
}

variable "owner" {
  type = string
}

variable "name" {
  type = string

  validation {
    condition     = var.name != var.owner
    error_message = "they differ"
  }
}
