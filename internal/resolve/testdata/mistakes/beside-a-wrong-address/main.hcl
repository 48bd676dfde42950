cloud "test" {
  openstack {
    cloud = "test"
  }
}

network "web" {
  for_each = toset(["a", "b"])
  name     = each.key
}
module "site" {
  source   = "./site"
  for_each = toset(["a"])
}

# A wrong from or to keeps nothing else in its block from being told.
removed {
  from = var.x
  lifecycle {
    destroy = "maybe"
  }
}
removed {
  lifecycle {
    destroy = "perhaps"
  }
}
import {
  to = network.nothere
  id = ""
}
import {
  to = network.nothere2
  id = upper(5, 6)
}
import {
  to = var.y
  id = " "
}
import {
  id = ""
}
import {
  to = network.nothere3
}
import {
  for_each = { a = "1", b = "" }
  to       = network.web
  id       = each.value
}
import {
  for_each = nothing
  to       = service.nova
  id       = lower(1, 2)
}
import {
  to = module.site[upper(1, 2)].network.n[lower(3, 4)]
  id = var.none
}
