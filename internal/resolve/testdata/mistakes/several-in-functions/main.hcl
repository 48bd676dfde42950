cloud "demo" {
  openstack { cloud = "x" }
}

locals {
  # One message each.
  short_circuit = true || 1 / 0
  left          = 1 / 0 && true
  not           = !(1 / 0)
  is_right      = true || 1 / 0 > 1 # the right side does not count

  # Two or three each.
  function    = nofunc(1 / 0, upper("a", "b"))
  arguments   = upper(2 / 0, local.missing)
  expanded    = max(3 / 0, local.missing...)
  conditional = (4 / 0 > 1) ? [1] : { a = 1 }
  branches    = local.missing ? 1 : [2]
  loop        = [for x in local.missing : upperr(x)]
  filter      = { for k, v in { a = 1 } : k => upperr(v) if local.missing > 5 / 0 }
  keys        = { (local.missing) = 6 / 0, b = 7 / 0 }
  directive   = "%{for x in local.missing}${upperr(x)}%{endfor}${8 / 0}"

  # Only the reference: what could be wrong besides depends on it, or does not count.
  guarded  = local.missing == 0 ? 0 : 1 / 0
  tried    = [local.missing, try(1 / 0, 1)]
  no_turns = [local.missing, [for x in [] : 1 / 0]]
  late     = secret(local.missing, "key")
}
