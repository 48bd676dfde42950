cloud "demo" {
  release   = "2026.1"
  region    = local.missing
  namespace = "Prod"
  profile   = profile.base

  charts {
    repository = "oci://registry.example.org/charts"
    version    = 1 / 0
  }

  service "keystone" {
    replicas = { api = local.missing, other = "many" }
    conf     = { a = local.missing, b = 1 / 0, database = var.db, c = [append(["a"])] }
  }

  service "glance" {
    conf = { url = "x${secret("db", "password")}", b = local.missing }
  }
}

variable "db" {
  sensitive = true
  default   = { user = "keystone" }
}

profile "base" {
  from = [profile.missing, "gold", "silver"]
}
