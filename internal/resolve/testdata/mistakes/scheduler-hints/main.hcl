cloud "demo" {
  openstack { cloud = "x" }
}

image "debian" {
  source = "https://images.example.org/debian-13.qcow2"
}

flavor "small" {
  vcpus = 1
  ram   = 512
}

server_group "apart" {
  policy = "anti-affinity"
}

instance "db" {
  image  = image.debian
  flavor = flavor.small
}

instance "web" {
  image           = image.debian
  flavor          = flavor.small
  scheduler_hints = { group = server_group.apart.id, different_host = instance.db.id }
}
