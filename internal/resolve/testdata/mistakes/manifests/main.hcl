cloud "test" {
  openstack {
    cloud = "test"
  }
}

variable "password" {
  default   = "hunter2"
  sensitive = true
}

manifest "nothing" {
  namespace = "web"
}

manifest "no-object" {
  objects = ["apiVersion"]
}

manifest "no-name" {
  objects = [{ apiVersion = "v1", kind = "ConfigMap" }]
}

manifest "sensitive" {
  objects = {
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "login" }
    data       = { password = var.password }
  }
}

manifest "sensitive-name" {
  objects = [{ apiVersion = "v1", kind = "Secret", metadata = { name = var.password } }]
}

manifest "copied" {
  objects = [{ apiVersion = "v1", kind = "Secret", metadata = { name = "copy" }, stringData = { password = secret("other", "password") } }]
}

manifest "all-sensitive" {
  objects = sensitive([{ apiVersion = "v1", kind = "Secret", metadata = { name = "copy" } }])
}

manifest "a-sensitive-map" {
  objects = { apiVersion = "v1", kind = "Secret", metadata = { name = "copy" }, stringData = sensitive({ password = "x" }) }
}

manifest "a-sensitive-place" {
  namespace = var.password
  files     = [var.password]
  directory = var.password
}

chart "a-sensitive-release" {
  name       = var.password
  repository = var.password
  values     = { login = sensitive({ password = "x" }) }
}

manifest "a-sensitive-list" {
  objects = { apiVersion = "v1", kind = "Secret", metadata = { name = "copy" }, stringData = { password = [var.password] } }
}

manifest "unknown" {
  objects = [{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = network.web.id } }]
}

network "web" {}

manifest "away" {
  files = ["more/nothere.yaml", "more/empty.yaml", "/etc/passwd"]
}

manifest "outside" {
  directory = "../more"
}

manifest "bare" {
  directory = "more/empty"
}

manifest "broken" {
  directory = "dir"
}

manifest "null" {
  files = [null]
}

manifest "each" {
  for_each = toset(["a", "b"])
  objects  = [{ apiVersion = "v1", kind = each.key == "a" ? "ConfigMap" : "" }]
}
