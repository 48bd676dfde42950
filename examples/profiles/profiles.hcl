# What every site of ours has.
profile "common" {
  service "nova" {
    replicas = { conductor = 2 }
    # A list takes the place of the one below, unless it is added to that.
    conf = { nova = { filter_scheduler = { enabled_filters = append(["AggregateInstanceExtraSpecsFilter"]) } } }
  }
}

# The default profile of this cloud. Maps are merged key by key.
profile "site" {
  from = profile.common

  service "nova" {
    conf = { nova = { DEFAULT = { cpu_allocation_ratio = 2 } } }
  }
}

# For hosts without overcommitment.
profile "dedicated" {
  service "nova" {
    conf = { nova = { DEFAULT = { cpu_allocation_ratio = 1, reserved_host_memory_mb = 4096 } } }
  }
}

# For hosts with devices that instances can have.
profile "devices" {
  service "nova" {
    conf = { nova = { pci = { device_spec = [{ vendor_id = "10de" }] } } }
  }
}

# Both, the later over the earlier, and its own settings over them.
profile "gpu" {
  from = [profile.dedicated, profile.devices]
  slot = 1 # nodes have it

  service "nova" {
    conf = {
      nova = {
        DEFAULT = { reserved_host_memory_mb = 16384 }
        pci     = { device_spec = prepend([{ vendor_id = "1002" }]) }
      }
    }
  }
}

node "control-1" {
  roles = ["control-plane", "network"]
}

# Nodes that are alike: node.worker["1"] and node.worker["2"]. depends_on = [node.worker] waits for both.
node "worker" {
  for_each = toset(["1", "2"])
  name     = "worker-${each.key}"
  roles    = ["compute"]
}

node "gpu-1" {
  roles   = ["compute"]
  profile = profile.gpu
}
