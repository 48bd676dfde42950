cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  physical_network "both" {
    bridge  = "br-both"
    device  = "eth1"
    devices = [{ node_labels = { rack = "a" }, device = "eth2" }]
  }
  physical_network "labels" {
    bridge = "br-labels"
    devices = [
      { node_labels = {}, device = "eth3" },
      { node_labels = null },
      { node_labels = { "not a key" = "a", rack = null }, device = "eth4" },
    ]
  }
  physical_network "values" {
    bridge = "br-values"
    devices = [
      { node_labels = { rack = "not a value" }, device = "eth5" },
      { node_labels = { rack = "b" }, device = "a-device-with-a-long-name" },
    ]
  }
  physical_network "without" {
    bridge  = "br-without"
    devices = [{ device = "eth6" }]
  }
  service "neutron" {}
}

node "n" {
  roles  = ["compute"]
  labels = { "not/a/key" = "a", rack = null }
}

node "m" {
  labels = { rack = "not a value" }
}
