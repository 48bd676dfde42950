variable "name" {
  type        = string
  description = "What the site is called."
}

variable "cidr" {
  type        = string
  description = "All addresses of the site."

  validation {
    condition     = can(cidrsubnet(var.cidr, 8, 0))
    error_message = "A site needs a network in CIDR notation that can be divided into 256 parts."
  }
}

variable "servers" {
  type        = set(string)
  description = "One server is started for each of these names."
}

# Objects are handed on whole: whatever refers to them is made after them.
variable "project" {
  description = "The project that everything belongs to."
}

variable "image" {
  description = "What the servers boot from."
}

variable "flavor" {
  description = "How large the servers are."
}
