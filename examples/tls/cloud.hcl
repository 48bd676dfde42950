# A cloud in which everything that can speaks TLS inside of the cluster: the APIs, MariaDB and RabbitMQ, with
# certificates of cert-manager. It is tested as a whole once it is there, and after each change of a service: an
# instance starts, and a volume is attached to it. The authority is an issuer of cert-manager that is there already,
# such as one of the type ca:
#
#     kubectl get clusterissuer openstack-ca

cloud "tls" {
  release         = "2026.1"
  network_backend = "ovs"
  storage_backend = "lvm"

  charts {
    repository = "charts"
  }

  tls {
    issuer   = { kind = "ClusterIssuer", name = "openstack-ca" }
    backends = ["mariadb", "rabbitmq"]
  }

  smoke_test {
    image   = image.cirros
    flavor  = flavor.tiny
    network = network.test
    project = project.test
  }

  service "mariadb" { storage_size = "20Gi" }
  service "rabbitmq" { storage_size = "5Gi" }
  service "memcached" {}
  service "keystone" {
    replicas  = 2
    resources = { tls = { requests = { cpu = "50m", memory = "32Mi" } } } # of the nginx before it
  }
  service "glance" {}
  service "placement" {}
  service "openvswitch" {}
  service "libvirt" {}
  service "neutron" {}
  service "nova" {}
  service "cinder" {
    # Volumes are on the disks of this node, so that is where cinder-volume has to stay.
    values = { labels = { volume = { node_selector_key = "kubernetes.io/hostname", node_selector_value = "control-1" } } }
  }
}

node "control-1" {
  roles = ["control-plane", "network"]
}

node "control-2" {
  roles = ["control-plane"]
}

node "worker" {
  for_each = toset(["1", "2"])

  name  = "worker-${each.key}"
  roles = ["compute"]
}
