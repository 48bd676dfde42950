cloud "demo" {
  openstack { cloud = "x" }
}

locals {
  none     = null
  zero     = "0"
  and      = true && local.none
  or       = null || false
  skipped  = false && local.none
  decided  = true || null
  quotient = 1 / 0
  modulo   = 5 % local.zero
  half     = 1 / 2
  inside   = "${3 / (1 - 1)}"
}
