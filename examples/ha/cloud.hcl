# A cloud that goes on when a node is lost: three nodes for the control plane, the APIs, databases and
# brokers on each of them, OVN, images and volumes in Ceph, and all APIs behind names of their own.

variable "domain" {
  type        = string
  description = "What the names of the APIs are in."
  default     = "cloud.example.org"
}

cloud "ha" {
  release         = "2026.1"
  network_backend = "ovn"
  storage_backend = "ceph"
  profile         = profile.base

  charts {
    repository = "charts"
  }

  exposure {
    domain        = var.domain
    hosts         = { horizon = "dashboard.${var.domain}" }
    ingress_class = "nginx"
    issuer        = { name = "openstack-ca" }
    annotations   = { "nginx.ingress.kubernetes.io/proxy-body-size" = "0" } # images are large
  }

  physical_network "external" {
    bridge = "br-ex"
    device = "eth1"
    vlans  = ["100:199"]
  }

  service "mariadb" {
    replicas     = 3
    storage_size = "50Gi"
  }
  service "rabbitmq" {
    replicas     = 3
    storage_size = "10Gi"
  }
  service "memcached" {}
  service "keystone" {}
  service "glance" {}
  service "placement" {}
  service "openvswitch" {}
  service "ovn" {}
  service "libvirt" {}
  service "neutron" {}
  service "nova" {}
  service "cinder" {}
  service "heat" {}
  service "horizon" {}

  service "mariadb-backup" {}
  service "prometheus-openstack-exporter" {}
}
