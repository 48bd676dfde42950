# A cloud whose nodes differ: settings in layers, and which of them counts where.
#
#   kupenstack-sync explain --path examples/profiles node.gpu-1 nova
#
# tells of each value which line set it, and what it took the place of.

cloud "profiles" {
  release = "2026.1"
  profile = profile.site # holds for the whole cloud

  charts {
    repository = "charts"
  }

  openstack {
    cloud = "profiles"
  }

  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}
  service "glance" {}
  service "placement" {}
  service "openvswitch" {}
  service "libvirt" {}
  service "neutron" {}
  service "nova" {
    conf = {
      nova = {
        DEFAULT          = { cpu_allocation_ratio = 4, ram_allocation_ratio = 1 }
        filter_scheduler = { enabled_filters = ["ComputeFilter", "ImagePropertiesFilter"] }
      }
    }
  }
}
