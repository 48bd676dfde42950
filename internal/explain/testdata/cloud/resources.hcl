data "network" "public" {
  name = "public"
}

project "dev" {
  quota = {
    instances = 20
    cores     = 64
  }
}

network "web" {
  for_each    = toset(["a", "b"])
  name        = "web-${each.key}"
  project     = project.dev
  description = "escape \u001b[31m and \u202e"

  lifecycle {
    drift = "report"
  }
}

security_group "web" {
  rule {
    direction = "ingress"
    protocol  = "tcp"
  }
  rule {
    direction = "egress"
    ethertype = "IPv6"
  }
}

instance "web" {
  image     = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor    = "f"
  networks  = [data.network.public, network.web["a"]]
  user_data = "password=hunter3"
  metadata  = { secret = var.url, plain = "x" }
}

security_group "made" {
  for_each = { a = [22, 80], b = [] }
  name     = "made-${each.key}"
  dynamic "rule" {
    for_each = each.value
    content {
      direction = "ingress"
      protocol  = "tcp"
      port_min  = rule.value
    }
  }
  rule {
    direction = "egress"
    ethertype = "IPv6"
  }
}
