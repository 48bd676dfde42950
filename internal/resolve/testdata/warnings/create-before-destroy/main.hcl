cloud "test" {
  openstack {
    cloud = "test"
  }
}

volume "root" {
  size = 10
}

volume "data" {
  size = 10
}

instance "from_a_volume" {
  boot_volume = volume.root
  flavor      = "m1.small"

  lifecycle {
    create_before_destroy = true
  }
}

instance "with_volumes" {
  image   = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  flavor  = "m1.small"
  volumes = [volume.data]

  lifecycle {
    create_before_destroy = true
  }
}

instance "with_none" {
  image   = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  flavor  = "m1.small"
  volumes = []

  lifecycle {
    create_before_destroy = true
  }
}

instance "destroyed_first" {
  image   = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  flavor  = "m1.small"
  volumes = [volume.data]
}
