cloud "demo" {
  release   = "2026.1"
  namespace = var.namespace
  profile   = profile.site

  charts {
    repository = "charts"
  }

  openstack {
    auth_url = "https://keystone.example.org/v3"
    ca       = var.ca
  }

  service "keystone" {
    enabled  = true
    replicas = 2
  }
  service "libvirt" {}
  service "nova" {
    replicas = 1
    conf = {
      nova = {
        DEFAULT = {
          cpu_allocation_ratio = 4.5
          debug                = true
          transport_url        = var.url
        }
        pci = { device_spec = ["cloud"], alias = { name = "a" } }
      }
      "nova-api.conf" = { workers = 9007199254740993 }
    }
    values = {
      pod = { resources = { enabled = true } }
    }
  }

  physical_network "public" { bridge = "br-ex" }
  physical_network "tenant" {
    bridge  = "br-t"
    devices = [{ node_labels = { rack = "a" }, device = "eno1" }, { node_labels = { rack = "b" } }]
    vlans   = ["100:199"]
  }
}

variable "namespace" {
  default = "openstack"
}

variable "ca" {
  default   = "-----BEGIN CERTIFICATE-----\nhunter1"
  sensitive = true
}

variable "url" {
  default   = "rabbit://hunter2"
  sensitive = true
}
