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
    conf   = { nova = { pci = { device_spec = append("base") } } }
    values = {
      a = jsonencode(append(["a"]))
      b = append("a", "b")
      c = concat(append(["a"]), ["b"])
      d = yamlencode(append(["a"]))
      e = format("%v", append(["a"]))
      f = "x${append(["a"])}"
      g = length(append(["a"]))
    }
  }
}

profile "other" {
  service "nova" {
    conf = append([{ nova = {} }])
  }
}
