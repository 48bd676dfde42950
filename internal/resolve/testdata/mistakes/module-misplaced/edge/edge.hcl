profile "p" {
}

node "n" {
  roles = ["compute"]
}

cloud "second" {
  release = "2026.1"
}

variable "source" {
  default = 1
}

output "id" {
  vallue = 1
}
