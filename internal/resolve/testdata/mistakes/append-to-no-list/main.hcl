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
    conf = {
      nova = {
        DEFAULT = { debug = append([true]) }
        pci     = append([{ device_spec = "base" }])
      }
    }
  }
}

profile "gpu" {
  service "nova" {
    conf = { nova = { pci = { device_spec = { vendor = "x" } } } }
  }
}

profile "more" {
  from = profile.gpu
  service "nova" {
    conf = { nova = { pci = { device_spec = prepend(["more"]) } } }
  }
}

node "worker-1" {
  roles   = ["compute"]
  profile = profile.more
}
