cloud "demo" {
  openstack { cloud = "x" }
}

locals {
  debian = "5d0d51ac-fa1c-4e9f-9d1a-3c1b2e9a7c45"
  disks  = { logs = volume.logs, backups = volume.backups }
}

volume "data" { size = 1 }
volume "logs" { size = 1 }
volume "backups" { size = 1 }

volume "root" {
  size  = 1
  image = local.debian
}

instance "web" {
  image   = local.debian
  flavor  = "small"
  volumes = [volume.data, volume.logs]
}

volume_attachment "data" {
  instance = instance.web
  volume   = volume.data
}

volume_attachment "of_another_one" {
  instance = instance.one
  volume   = volume.logs # some volumes can be attached several times
}

instance "one" {
  boot_volume = volume.root
  flavor      = "small"
  volumes     = [local.disks["backups"]] # which one that is, is not looked into
}

volume_attachment "perhaps" {
  instance = instance.one
  volume   = volume.backups
}

instance "two" {
  boot_volume = volume.root # it cannot be told whether several instances can have it
  flavor      = "small"
  volumes     = split(",", volume.data.id) # how many those are is not known
}

volume_attachment "two" {
  instance = instance.two
  volume   = volume.data
}

volume_attachment "root" {
  instance = instance.two
  volume   = volume.root
}

instance "three" {
  boot_volume = "9c1d5d0d-51ac-4e9f-8d1a-3c1b2e9a7c45"
  flavor      = "small"
  heal        = "rebuild"
}

instance "both" {
  image       = local.debian
  boot_volume = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  flavor      = "small"
}

instance "neither" {
  flavor = "small"
}
