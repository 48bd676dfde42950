# subnet.hcl
subnet "inner" {
  network    = data.network.ours
  cidr       = "10.0.1.0/24"
  project    = data.project.shop
  no_gateway = true
}

import {
  to = subnet.inner
  id = "00000000-0000-4000-8000-000000007332"
}

subnet "web" {
  network          = data.network.web_net
  cidr             = "10.0.0.0/24"
  project          = data.project.shop
  gateway_ip       = "10.0.0.1"
  allocation_pools = [{ end = "10.0.0.20", start = "10.0.0.10" }]
}

import {
  to = subnet.web
  id = "00000000-0000-4000-8000-000000007331"
}

# instance.hcl
instance "web" {
  project  = data.project.shop
  image    = data.image.debian
  flavor   = data.flavor.m1_small
  networks = [data.network.web_net]
  keypair  = data.keypair.ops
}

import {
  to = instance.web
  id = "00000000-0000-4000-8000-000000007631"
}

# data.hcl
data "flavor" "m1_small" {
  name = "m1.small"
}

data "image" "debian" {
  name = "debian"
}

data "keypair" "ops" {
  name = "ops"
}

data "network" "ours" {
  name = "ours"
}

data "network" "web_net" {
  id = "00000000-0000-4000-8000-000000006e31"
}

data "project" "shop" {
  name = "shop"
}

