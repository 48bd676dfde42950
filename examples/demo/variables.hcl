variable "api_replicas" {
  type        = number
  default     = 1
  description = "How many copies of each API run."

  validation {
    condition     = var.api_replicas >= 1
    error_message = "Every API needs at least one copy."
  }
}

variable "site_cidr" {
  type        = string
  default     = "10.20.0.0/16"
  description = "The addresses of all networks of this site."
}

variable "web_servers" {
  type        = set(string)
  default     = ["a", "b"]
  description = "One web server is started for each of these names."
}
