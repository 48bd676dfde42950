# The least that makes a cloud: Keystone with what it needs, on one node, and one project in it.

cloud "minimal" {
  release = "2026.1"

  charts {
    repository = "charts"
  }

  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}
}

node "node-1" {
  roles = ["control-plane"]
}

project "dev" {}
