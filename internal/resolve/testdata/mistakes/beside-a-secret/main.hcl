cloud "test" {
  openstack {
    cloud = "test"
  }
}
variable "pw" {
  sensitive = true
  default   = "canary-hunter2"
}
variable "open" {
  default = { a = "x" }
}
variable "mixed" {
  default = { a = "x", b = 1 }
}
locals {
  with = { a = "x", b = var.pw }

  # What has nothing to do with what is sensitive is told, whatever else the expression has.
  told = [var.pw, tonumber("x"), var.open.b, sensitive("y"), tonumber(var.mixed.a), [for s in ["z"] : tonumber(s)]]

  # And this is not.
  hidden = [
    tonumber(var.pw),
    tonumber(local.with.b),
    [for s in [var.pw] : tonumber(s)],
    [for s in [1, 2] : tonumber(sensitive("canary-${s}"))],
    { for s in ["canary-a", "canary-a"] : sensitive(s) => 1 },
    values(local.with)[*].c,
    templatestring("$${tonumber(s)}", { s = var.pw }),
    jsonencode({ a = var.pw })["canary"],
  ]
}
