cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  physical_network "public" { bridge = "br-ex" }
  physical_network "tenant" { bridge = "br-ex" }
  physical_network "third" {
    bridge = "br-third"
    device = "br-third"
  }
  physical_network "tunnels" { bridge = "br-tun" }
  service "neutron" {}
}
