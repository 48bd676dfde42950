profile "base" {
  service "nova" {
    replicas = { conductor = 2, scheduler = 1 }
    conf = {
      nova = {
        DEFAULT = { cpu_allocation_ratio = 2 }
        pci     = { device_spec = append(["base"]) }
      }
    }
  }
}

profile "site" {
  from = profile.base

  service "nova" {
    replicas = { conductor = 3 }
    conf     = { nova = { DEFAULT = { debug = null, long = join(",", range(60)) } } }
    values   = merge({ pod = { lifecycle = "x" } }, {})
  }
  service "keystone" {
    conf = { keystone = {}, limits = { one = 340282366920938463463374607431768211456, list = [340282366920938463463374607431768211456] } }
  }
}

profile "fast" {
  service "nova" {
    conf = {
      nova = {
        DEFAULT = { cpu_allocation_ratio = 1, transport_url = "none" }
        pci     = { device_spec = prepend([var.url]) }
      }
    }
  }
}

profile "gpu" {
  from = [profile.base, "fast"]
  slot = 1

  service "nova" {
    conf = {
      nova = {
        DEFAULT = { cpu_allocation_ratio = 8 }
        pci     = { alias = null }
        devices = append(["gpu"])
      }
    }
  }
}

profile "empty" {}

node "worker-1" {
  roles = ["compute"]
}

node "worker-7" {
  name    = "worker-7.example.org"
  roles   = ["compute", "network"]
  profile = profile.gpu
  labels  = { rack = "a" }
}

node "rack" {
  for_each = { fast = profile.fast, plain = null }
  name     = "rack-${each.key}"
  roles    = ["compute"]
  profile  = each.value
}
