cloud "demo" {
  openstack { cloud = "x" }
}

network "lost" {
  for_each    = local.missing
  name        = "n-${each.key}-${1 / 0}"
  description = each.value
  mtu         = 90000
}

network "list" {
  for_each = ["a", "b"]
  name     = each.value
  mtu      = 90000
}

network "some" {
  for_each = { a = { mtu = local.missing }, b = { mtu = "jumbo" } }
  name     = each.key
  mtu      = each.value.mtu
}

security_group "web" {
  dynamic "rule" {
    for_each = local.missing
    content {
      direction = "sideways"
      protocol  = rule.value
      port_min  = 1 / 0
    }
  }
  dynamic "rule" {
    for_each = [80, local.missing, "http"]
    content {
      direction = "ingress"
      protocol  = "tcp"
      port_min  = rule.value
    }
  }
  dynamic "rule" {
    for_each = 5
    content {
      direction = "up"
    }
  }
}

node "worker" {
  for_each = local.missing
  name     = "no name"
  roles    = ["compte", each.value]
}

import {
  for_each = local.missing
  to       = network.some[each.key]
  id       = "${each.value}${1 / 0}"
}
