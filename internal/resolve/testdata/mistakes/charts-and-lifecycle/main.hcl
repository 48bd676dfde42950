cloud "test" {
  openstack {
    cloud = "test"
  }
}

chart "Upper_Case" {
  repository = "charts"
  version    = "newest"
  namespace  = "No.Namespace"
  chart      = "../keystone"
  values     = ["a"]

  lifecycle {
    prevent_destroy       = true
    ignore_changes        = [values]
    create_before_destroy = true
    replace_triggered_by  = [network.web]
  }
}

network "web" {}

chart "later" {
  repository = "charts"
  values     = { id = network.web.id }
}

chart "several" {
  for_each   = toset(["a"])
  repository = "charts"
}

data "chart" "there" {
  name = "there"
}

import {
  to = chart.several["a"]
  id = "a"
}
