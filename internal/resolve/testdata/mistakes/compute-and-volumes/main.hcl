cloud "demo" {
  openstack { cloud = "x" }
}

server_group "soft" {
  policy              = "soft-affinity"
  max_server_per_host = 2
}

host_aggregate "rack" {
  metadata = { availability_zone = "rack-1", kupenstack_x = "y" }
}

flavor "all" {
  vcpus  = 1
  ram    = 64
  access = ["d32019d3-bc6e-4319-9c1d-6722fc136a22"]
}

volume_type "all" {
  public = true
  access = ["d32019d3-bc6e-4319-9c1d-6722fc136a22"]
}

volume_type "limited" {
  quota {
    project = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  }
  quota {
    project = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
    volumes = -2
  }
}

volume_qos "ours" {
  consumer = "client"
  specs    = { name = "x", consumer = "both", kupenstack_x = "y" }
}

volume "two" {
  size     = 0
  image    = image.debian
  snapshot = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
}

snapshot "none" {
  metadata = { kupenstack_mark = "x" }
}

volume_attachment "first" {
  volume = volume.two
}

server_group "again" {
  policy = "anti-affinity"

  lifecycle {
    create_before_destroy = true
  }
}

host_aggregate "selected" {
  hosts         = ["node-1"]
  node_selector = { "a key" = "b" }
}

host_aggregate "everything" {
  node_selector = {}
}
