cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

node "listed" {
  for_each = ["a", "b"]
  name     = each.value
}

node "late" {
  for_each = { a = network.web.id }
  name     = each.value
}

node "worker" {
  for_each = toset(["a", "b"])
  name     = "worker-${each.key}"
}

node "nameless" {
  for_each = toset(["x"])
  name     = null
}

node "single" {
  depends_on = [network.web]
}

network "web" {
  depends_on = [node.worker["c"], node.listed["c"], node.single["a"], service.keystone["a"]]
}

moved {
  from = node.worker
  to   = network.web
}

moved {
  from = node.worker["z"]
  to   = node.worker["y"]
}

removed {
  from = node.single
}
