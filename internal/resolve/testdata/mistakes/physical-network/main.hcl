cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  physical_network "public" {
    bridge = "a-bridge-with-a-long-name"
    device = "eth 1"
    vlans  = ["4095", "20:10", "5"]
  }
  physical_network "tenant" {
    device = "eth2"
    flat   = "no idea"
  }
  physical_network "tenant" { bridge = "br-t" }
  service "mariadb" {}
}
