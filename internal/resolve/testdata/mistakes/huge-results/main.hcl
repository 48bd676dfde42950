cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

locals {
  long = join("", [for i in range(1000) : "0123456789"])
  many = [for i in range(1000) : i]

  range  = range(1e9)
  format = format("%1000000000d", 1)
  repeat = format("%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s", join("", [for i in range(50) : local.long]))
  indent = indent(1e9, "a")
  join   = join(local.long, local.many)
  yaml   = yamldecode("a: &a [1]\nb: *a")
  json   = jsondecode(join("", [for i in local.many : "["]))
  power  = setproduct(range(1000), range(1000), range(1000))
  swap   = replace(local.long, "1", local.long)
  match  = replace(local.long, "/[0-9]/", local.long)
  loop   = [for i in local.many : [for j in local.many : sha256(local.long)]]
  number = 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99 * 1e99
}
