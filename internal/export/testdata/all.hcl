# project.hcl
project "other" {}

import {
  to = project.other
  id = "00000000-0000-4000-8000-000000007032"
}

project "shop" {
  description = "costs $${5} and %%{6}"
}

import {
  to = project.shop
  id = "00000000-0000-4000-8000-000000007031"
}

# network.hcl
network "_1_public" {
  name     = "1.public"
  project  = project.other
  external = true
}

import {
  to = network._1_public
  id = "00000000-0000-4000-8000-000000006e33"
}

network "web_net" {
  name           = "web net"
  project        = project.shop
  admin_state_up = true
  mtu            = 1400
  shared         = false
  tags           = ["a", "b"]
}

import {
  to = network.web_net
  id = "00000000-0000-4000-8000-000000006e31"
}

network "web_net_2" {
  name    = "web net"
  project = project.shop
}

import {
  to = network.web_net_2
  id = "00000000-0000-4000-8000-000000006e32"
}

# subnet.hcl
subnet "inner" {
  network    = data.network.ours
  cidr       = "10.0.1.0/24"
  project    = project.shop
  no_gateway = true
}

import {
  to = subnet.inner
  id = "00000000-0000-4000-8000-000000007332"
}

subnet "web" {
  network          = network.web_net
  cidr             = "10.0.0.0/24"
  project          = project.shop
  gateway_ip       = "10.0.0.1"
  allocation_pools = [{ end = "10.0.0.20", start = "10.0.0.10" }]
}

import {
  to = subnet.web
  id = "00000000-0000-4000-8000-000000007331"
}

# router.hcl
router "edge" {
  project          = project.shop
  external_network = network._1_public
  subnets          = [subnet.web, "00000000-0000-4000-8000-0000676f6e65"]
}

import {
  to = router.edge
  id = "00000000-0000-4000-8000-000000007231"
}

# security_group.hcl
security_group "web" {
  project = project.shop

  rule {
    direction = "ingress"
    self      = true
  }

  rule {
    direction = "ingress"
    ethertype = "IPv6"
    protocol  = "tcp"
    port_min  = 80
    port_max  = 80
  }

  rule {
    direction    = "ingress"
    remote_group = data.security_group.default
  }
}

import {
  to = security_group.web
  id = "00000000-0000-4000-8000-000000006731"
}

# rbac_policy.hcl
rbac_policy "with_all" {
  object_type = "address_group"
  object      = "00000000-0000-4000-8000-0000676f6e65"
  action      = "access_as_shared"
  target      = "*"
}

import {
  to = rbac_policy.with_all
  id = "00000000-0000-4000-8000-000000007932"
}

rbac_policy "with_other" {
  object_type = "network"
  object      = network.web_net.id
  action      = "access_as_shared"
  target      = project.other.id
}

import {
  to = rbac_policy.with_other
  id = "00000000-0000-4000-8000-000000007931"
}

# flavor.hcl
flavor "m1_small" {
  name  = "m1.small"
  vcpus = 1
  ram   = 64
  extra_specs = {
    "a"             = "b"
    "hw:cpu_policy" = "shared"
  }
}

import {
  to = flavor.m1_small
  id = "00000000-0000-4000-8000-000000006631"
}

# keypair.hcl
keypair "ops" {
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v"
}

import {
  to = keypair.ops
  id = "ops"
}

# instance.hcl
instance "web" {
  project  = project.shop
  image    = image.debian
  flavor   = flavor.m1_small
  networks = [network.web_net]
  keypair  = keypair.ops
}

import {
  to = instance.web
  id = "00000000-0000-4000-8000-000000007631"
}

# image.hcl
image "debian" {
  project          = project.other
  disk_format      = "qcow2"
  container_format = "bare"
}

import {
  to = image.debian
  id = "00000000-0000-4000-8000-000000006931"
}

# data.hcl
data "network" "ours" {
  name = "ours"
}

data "security_group" "default" {
  id = "00000000-0000-4000-8000-000000006732"
}

