cloud "prod" {
  openstack { secret = "oc" }
}
network "n" {}
subnet "s" {
  for_each = { a = "10.0.0.0/24", b = "10.1.0.0/33", c = "10.2.0.0/34" }
  network  = network.n
  name     = each.key
  cidr     = each.value
}
security_group "w" {
  dynamic "rule" {
    for_each = [80, 90000, 100000, 100001, 100002]
    content {
      direction = "ingress"
      protocol  = "tcp"
      port_min  = rule.value
    }
  }
}
module "m" {
  source   = "./m"
  for_each = { a = 1, b = "no", c = "nope" }
  v        = each.value
}
variable "hidden" {
  default   = "10.3.0.0/35"
  sensitive = true
}
subnet "hidden" {
  for_each = { a = "10.3.0.0/24", b = var.hidden }
  network  = network.n
  name     = each.key
  cidr     = each.value
}
subnet "both" {
  for_each   = { a = null, b = "10.4.0.1", c = "10.4.0.2" }
  network    = network.n
  name       = each.key
  cidr       = { a = "10.4.0.0/24", b = "10.5.0.0/24", c = "10.6.0.0/24" }[each.key]
  gateway_ip = each.value
  no_gateway = true
}
network "alike" {
  for_each = toset(["a", "b"])
  name     = each.key
  mtu      = 5
}
