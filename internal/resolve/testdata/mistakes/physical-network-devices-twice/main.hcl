cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  physical_network "all" {
    bridge = "br-all"
    device = "eth1"
  }
  physical_network "empty" {
    bridge  = "br-empty"
    devices = []
  }
  physical_network "first" {
    bridge  = "br-first"
    devices = [{ node_labels = { rack = "a" }, device = "eth1" }]
  }
  physical_network "second" {
    bridge  = "br-second"
    devices = [{ node_labels = { rack = "a" }, device = "br-third" }]
  }
  physical_network "third" {
    bridge  = "br-third"
    devices = [{ node_labels = { rack = "a" }, device = "eth2" }, { node_labels = { rack = "b" }, device = "eth2" }]
  }
  service "neutron" {}
}
