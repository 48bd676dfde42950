cloud "test" {
  openstack {
    cloud = "test"
  }
}

variable "password" {
  default   = "canary-5d1a3b52"
  sensitive = true
}

# Everything that is wrong with a template is told at once, also with a sensitive value, which is not shown.
network "plain" {
  description = templatefile("t.tpl", { x = 1 })
}
network "sensitive" {
  description = templatefile("u.tpl", { x = var.password, yy = 1 })
}
network "whole" {
  description = templatefile("v.tpl", sensitive({ canary = 1 }))
}
network "text" {
  description = templatestring("$${a} $${b} $${nofn(1)}", {})
}
network "again" {
  for_each    = toset(["a", "b"])
  name        = each.key
  description = templatefile("t.tpl", { x = each.key, y = 1, zz = 2 })
}
network "hidden" {
  description = templatestring(sensitive("$${canary}"), {})
}
