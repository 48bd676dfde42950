variable "given" {}

locals {
  inner = "${var.given}!"
}

project "p" {
  description = local.inner
}

output "result" {
  value = local.inner
}
