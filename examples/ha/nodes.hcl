node "control" {
  for_each = toset(["1", "2", "3"])

  name  = "control-${each.key}"
  roles = ["control-plane", "network"]
}

node "worker" {
  for_each = { "1" = "base", "2" = "base", "3" = "dedicated", "4" = "dedicated" }

  name    = "worker-${each.key}"
  roles   = ["compute"]
  profile = each.value == "base" ? profile.base : profile.dedicated
}
