variable "sites" {
  type = map(object({
    cidr    = string
    servers = optional(set(string), ["a"])
  }))
  default = {
    fra = { cidr = "10.30.0.0/16", servers = ["a", "b"] }
    ber = { cidr = "10.40.0.0/16" }
  }
  description = "The sites by name, each with its addresses and the names of its servers."
}
