cloud "demo" {
  openstack { cloud = "x" }
}

locals {
  secret       = secret("db")
  sops         = sops("a", "b")
  nonsensitive = nonsensitive()
  base64gzip   = base64gzip()
  secrets      = secret("db", "users")
}

project "secret" {
  for_each = toset([local.secrets])
  name     = each.key
}

project "numbers" {
  for_each = toset([1, 2])
  name     = each.key
}

project "one" {
  for_each = 5
  name     = each.key
}
