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

profile "base" {}

locals {
  devices = append(["a"])
}

variable "devices" {
  default = prepend(["a"])
}

network "web" {
  name = join("-", append(["a"]))
}
