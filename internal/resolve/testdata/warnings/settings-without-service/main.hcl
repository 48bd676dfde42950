cloud "demo" {
  release = "2026.1"
  profile = profile.base
  charts {
    repository = "charts"
  }
  service "nova" {
    conf = {
      nova = {
        DEFAULT = { debug = true }
        pci     = { device_spec = ["cloud"] }
      }
    }
  }
}

profile "base" {
  service "nova" {
    conf = { nova = { pci = { device_spec = append(["base"]) } } }
  }
  service "neutron" {
    conf = { neutron = { DEFAULT = { debug = true } } }
  }
}
