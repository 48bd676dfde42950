# The cloud as a whole: which release runs, where its charts come from, which services make it up.

cloud "demo" {
  release         = "2026.1"
  region          = "RegionOne"
  namespace       = "openstack"
  network_backend = "ovs"
  profile         = profile.base # the default profile of every node

  charts {
    repository = "charts"
  }

  # How to log in: an entry of clouds.yaml.
  openstack {
    cloud = "demo"
  }

  # Infrastructure
  service "mariadb" {
    replicas     = 1
    storage_size = "5Gi"
  }
  service "rabbitmq" {
    replicas     = 1
    storage_size = "1Gi"
  }
  service "memcached" {
    replicas = 1
  }

  # Identity, images, what hosts can offer
  service "keystone" {
    replicas = var.api_replicas
  }
  service "glance" {
    replicas     = var.api_replicas
    storage_size = "2Gi"
  }
  service "placement" {
    replicas = var.api_replicas
  }

  # Networks and instances
  service "openvswitch" {}
  service "libvirt" {}
  service "neutron" {
    replicas = { server = var.api_replicas, rpc_server = 1 }
  }
  service "nova" {
    replicas = var.api_replicas
  }

  service "horizon" {
    replicas = 1
  }
}
