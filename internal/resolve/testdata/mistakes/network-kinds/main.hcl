cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

network "web" {}

subnet "pooled" {
  network       = network.web
  prefix_length = 26
}

port "web" {
  network     = network.web
  mac_address = "fa-16-3e-00-00-01"
  allowed_address_pairs = [
    { ip_address = "10.1.0.9/24" },
    { ip_address = "10.1.0.0/24", mac_address = "fa:16:3e" },
  ]
  fixed_ip {
    ip_address = "10.1.0.5"
  }
}

floating_ip "web" {
  floating_network = network.web
  fixed_ip         = "10.1.0.5"
}

floating_ip "both" {
  floating_network = network.web
  port             = port.web
  instance         = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
}

trunk "web" {
  port = port.web
  sub_port {
    port = port.web
  }
  sub_port {
    port              = port.web
    segmentation_type = "inherit"
    segmentation_id   = 7
  }
}

address_scope "web" {
  ip_version = 5
}

subnet_pool "mixed" {
  prefixes          = ["10.64.0.0/12", "2001:db8::/48"]
  min_prefix_length = 24
  max_prefix_length = 20
}

subnet_pool "empty" {
  prefixes              = []
  max_prefix_length     = 26
  default_prefix_length = 28
}

qos_policy "gold" {
  dscp_mark = 57
  bandwidth_limit {
    direction = "both"
  }
}

rbac_policy "web" {
  object_type = "qos_policy"
  object      = qos_policy.gold.id
  action      = "access_as_external"
  target      = "shop"
}

router "web" {
  external_network = network.web
  external_fixed_ip {}
  route {
    destination = "10.2.0.1/16"
    next_hop    = "10.1.0.254"
  }
}

network "rooms" {
  provider_network_type    = "vlan"
  provider_segmentation_id = 100
  segments                 = [{ network_type = "vlam", physical_network = "physnet1", segmentation_id = 0 }]
}

network "nowhere" {
  segments = []
}

network "twice" {
  segments = [
    { network_type = "vlan", physical_network = "physnet1", segmentation_id = 100 },
    { network_type = "vxlan" },
    { network_type = "vxlan" },
    { network_type = "vlan", physical_network = "physnet1", segmentation_id = 200 },
  ]
}
