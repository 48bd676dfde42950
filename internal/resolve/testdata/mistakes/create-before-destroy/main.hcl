cloud "demo" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

flavor "small" {
  vcpus = 1
  ram   = 512

  lifecycle {
    create_before_destroy = true
  }
}

router "web" {
  lifecycle {
    create_before_destroy = "often"
  }
}

network "net" {}

port "front" {
  network = network.net
}

instance "with_a_port" {
  image  = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  flavor = "m1.small"
  ports  = [port.front]

  lifecycle {
    create_before_destroy = true
  }
}

instance "with_none" {
  image   = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  flavor  = "m1.small"
  ports = []

  lifecycle {
    create_before_destroy = true
  }
}

instance "destroyed_first" {
  image   = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  flavor  = "m1.small"
  ports = [port.front]
}
