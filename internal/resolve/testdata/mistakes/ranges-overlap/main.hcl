cloud "demo" {
  openstack { cloud = "x" }
}

locals {
  shared = "5d0d51ac-fa1c-4e9f-9d1a-3c1b2e9a7c45"
  either = { a = network.a, b = network.b }
}

network "a" {}
network "b" {}
network "public" { external = true }

data "network" "theirs" { name = "theirs" }

subnet_pool "inner" { prefixes = ["10.64.0.0/10"] }

subnet "wide" {
  network = network.a
  cidr    = "10.1.0.0/16"
}

subnet "narrow" {
  network = network.a
  cidr    = "10.1.7.0/24"
}

subnet "apart" {
  network = network.a
  cidr    = "10.2.0.0/16"
}

subnet "six" {
  network = network.a
  cidr    = "2001:db8::/64"
}

subnet "elsewhere" { # another network may have the same range
  network = network.b
  cidr    = "10.1.0.0/16"
}

subnet "by_id" {
  network = local.shared
  cidr    = "192.0.2.0/25"
}

subnet "by_id_too" {
  network = "5d0d51ac-fa1c-4e9f-9d1a-3c1b2e9a7c45"
  cidr    = "192.0.2.0/24"
}

subnet "keyed" {
  for_each = { one = "10.3.0.0/24", two = "10.3.0.128/25" }
  name     = "keyed-${each.key}"
  network  = data.network.theirs
  cidr     = each.value
}

subnet "chosen" { # by the pool
  network     = network.a
  subnet_pool = subnet_pool.inner
}

subnet "pooled" {
  network     = network.a
  subnet_pool = subnet_pool.inner
  cidr        = "10.65.0.0/24"
}

subnet "pooled_twice" {
  network     = network.b
  subnet_pool = subnet_pool.inner
  cidr        = "10.65.0.0/20"
}

subnet "either" { # in which of the two it is, is not looked into
  network = local.either["a"]
  cidr    = "10.2.1.0/24"
}

subnet "left" {
  network = network.a
  cidr    = "10.2.0.0/17"

  lifecycle {
    ignore_changes = [cidr]
  }
}

subnet "delegated" {
  network = network.a
  cidr    = "::/64"
}

subnet "delegated_too" {
  network = network.a
  cidr    = "::/64"
}

subnet "outside" {
  network = network.public
  cidr    = "10.1.128.0/17"
}

router "both" {
  subnets = [subnet.wide, subnet.elsewhere]
}

router "outside" {
  external_network = network.public
  subnets          = [subnet.apart, subnet.elsewhere]
}

router "apart" {
  external_network = network.public
  subnets          = [subnet.apart, subnet.six]
}

router "either" {
  subnets = [subnet.wide, local.either["a"].admin_state_up ? subnet.apart : subnet.elsewhere]
}

variable "secret" {
  default   = "198.51.100.0/24"
  sensitive = true
}

subnet "secret" {
  network = network.b
  cidr    = var.secret
}

subnet "beside_secret" {
  network = network.b
  cidr    = "198.51.100.0/24"
}

subnet "same" {
  network = network.b
  cidr    = "203.0.113.0/24"
}

subnet "same_too" {
  network = network.b
  cidr    = "203.0.113.0/24"
}

module "site" {
  source  = "./site"
  network = network.b
}

data "instance" "theirs" { name = "theirs" }

subnet "first" { # of two networks that are looked up together
  network = data.instance.theirs.networks[0]
  cidr    = "10.6.0.0/24"
}

subnet "second" {
  network = data.instance.theirs.networks[1]
  cidr    = "10.6.0.0/24"
}

subnet "by_condition" { # whatever it says, each is in a network of its own
  for_each = { a = "5d0d51ac-fa1c-4e9f-9d1a-000000000001", b = "5d0d51ac-fa1c-4e9f-9d1a-000000000002" }
  name     = "by-condition-${each.key}"
  network  = data.network.theirs.external ? each.value : { a = local.shared, b = null }[each.key]
  cidr     = "10.7.0.0/24"
}

locals {
  named = {
    a = { theirs = "5d0d51ac-fa1c-4e9f-9d1a-000000000003" }
    b = { theirs = "5d0d51ac-fa1c-4e9f-9d1a-000000000004" }
  }
}

subnet "by_name" {
  for_each = local.named
  name     = "by-name-${each.key}"
  network  = local.named[each.key][data.network.theirs.description]
  cidr     = "10.8.0.0/24"
}

network "by_key" {
  for_each = toset(["a", "b"])
  name     = "by-key-${each.key}"
}

subnet "by_key" {
  for_each = network.by_key
  name     = "by-key-${each.key}"
  network  = network.by_key[each.key].id
  cidr     = "10.9.0.0/24"
}

subnet "by_key_too" {
  network = network.by_key["a"]
  cidr    = "10.9.0.0/25"
}

address_scope "inner" { ip_version = 4 }
address_scope "other" { ip_version = 4 }

subnet_pool "first" {
  prefixes      = ["10.128.0.0/10", "10.128.4.0/24"] # which Neutron joins
  address_scope = address_scope.inner
}

subnet_pool "second" {
  prefixes      = ["172.16.0.0/16", "10.160.0.0/16"]
  address_scope = address_scope.inner
}

subnet_pool "apart" {
  prefixes      = ["172.17.0.0/16"]
  address_scope = address_scope.inner
}

subnet_pool "elsewhere" { # another scope may have the same range
  prefixes      = ["10.128.0.0/10"]
  address_scope = address_scope.other
}

subnet_pool "in_none" {
  prefixes = ["10.128.0.0/10"]
}

subnet_pool "left_to_others" {
  prefixes      = ["172.17.0.0/16"]
  address_scope = address_scope.inner

  lifecycle {
    ignore_changes = [address_scope]
  }
}

subnet_pool "keyed" {
  for_each      = { one = address_scope.inner.id, two = address_scope.other.id }
  name          = "keyed-${each.key}"
  prefixes      = ["10.192.0.0/16"]
  address_scope = each.value
}

subnet_pool "secret" {
  prefixes      = [var.secret]
  address_scope = address_scope.other
}

subnet_pool "beside_secret" {
  prefixes      = ["198.51.100.128/25"]
  address_scope = address_scope.other
}
