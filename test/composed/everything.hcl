cloud "c" {
  release         = "2026.1"
  network_backend = "NETWORK"
  STORAGEBLOCKS
  charts { repository = "charts" }
  service "mariadb" { storage_size = "9Gi" }
  service "rabbitmq" {
    storage_size = "9Gi"
    version      = "4.2"
  }
  service "memcached" { version = "1.6.32" }
  service "keystone" { replicas = 2 }
  service "glance" {GLANCE}
  service "placement" { replicas = 2 }
  service "neutron" { replicas = { server = 2, rpc_server = 2 } }
  service "nova" { replicas = { osapi = 2, api_metadata = 2, conductor = 2, scheduler = 2, novncproxy = 2 } }
  service "libvirt" {}
  service "openvswitch" {}
OVNCINDER
  service "heat" { replicas = { api = 2, cfn = 2, engine = 2 } }
  service "barbican" { replicas = 2 }
  service "magnum" { replicas = { api = 2, conductor = 2 } }
  service "horizon" { replicas = 2 }
  service "skyline" { replicas = 2 }
  service "prometheus-openstack-exporter" {
    replicas = 1
    version  = "1.7.0"
  }
  service "prometheus-blackbox-exporter" {
    replicas = 1
    version  = "0.16.0"
  }
  service "prometheus-kube-state-metrics" {
    replicas = 1
    version  = "2.19.1"
  }
  service "prometheus-node-exporter" { version = "0.18.1" }
  service "prometheus-process-exporter" { version = "0.2.11" }
  service "manila" { replicas = { api = 2, data = 1, scheduler = 2, share = 1 } }
  service "designate" { replicas = { api = 2, central = 2, mdns = 2, producer = 2, worker = 2 } }
  service "octavia" { replicas = { api = 2, driver_agent = 2, housekeeping = 2 } }
  service "prometheus-mysql-exporter" {
    replicas = 1
    version  = "0.12.1"
  }
  service "mariadb-backup" { storage_size = "9Gi" }
  service "ironic" { replicas = { api = 2, conductor = 2 } }ADAPTER
}
