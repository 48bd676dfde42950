cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

locals {
  ids = { ber = "id-ber", fra = "id-fra" }
}

module "q" {
  source   = "./m"
  for_each = toset(["ber"])
  name     = each.key
}

import { # of one of them there is no module
  for_each = local.ids
  to       = module.q[each.key].network.n
  id       = each.value
}

import {
  for_each = { ber = "id-x" }
  to       = module.q[each.key].network.m
  id       = each.value
}

import {
  for_each = local.ids
  to       = module.q[each.key]
  id       = each.value
}

import {
  to = module.q[network.web.id].network.n
  id = "id-1"
}

import {
  to = module.q["ber"].network[each.key]
  id = "id-2"
}

moved {
  from = module.q[each.key].network.n
  to   = network.web
}

network "web" {}
