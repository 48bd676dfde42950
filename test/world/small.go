package world

import (
	"strings"
	"testing"
)

// small is a cloud with as little in it as has every class of objects, and of those in OpenStack most kinds that are
// made by other requests than the rest: releases with hooks, with claims to volumes, with a DaemonSet whose pods nobody else
// replaces, and without any of that, a node, and a server with all that it needs and all that leads to it.
const small = `cloud "small" {
  release   = "2026.1"
  region    = "RegionOne"
  namespace = "openstack"

  charts {
    repository = "charts"
  }
  openstack {
    cloud = "small"
  }

  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}

  service "openvswitch" {
    images = { openvswitch_vswitchd = "registry.example.org/vswitchd:0" }
  }
}

node "node-1" {
  roles = ["control-plane", "network"]
}

project "dev" {
  name  = "PREFIXdev"
  quota = { instances = 20 }
}

project "guest" {
  name = "PREFIXguest"
}

role "reader" {
  name = "PREFIXreader"
}

group "readers" {
  name = "PREFIXreaders"
}

role_assignment "readers" {
  role    = role.reader
  group   = group.readers
  project = project.dev
}

network "public" {
  name     = "PREFIXpublic"
  project  = project.dev
  external = true
}

subnet "public" {
  name        = "PREFIXpublic"
  project     = project.dev
  network     = network.public
  cidr        = "203.0.113.0/24"
  enable_dhcp = false
}

network "web" {
  name    = "PREFIXweb"
  project = project.dev
  mtu     = 1400
}

subnet "web" {
  name    = "PREFIXweb"
  project = project.dev
  network = network.web
  cidr    = "10.20.4.0/24"
}

router "edge" {
  name             = "PREFIXedge"
  project          = project.dev
  external_network = network.public
  subnets          = [subnet.web]
  depends_on       = [subnet.public]
}

security_group "web" {
  name    = "PREFIXweb"
  project = project.dev

  rule {
    direction = "ingress"
    protocol  = "tcp"
    port_min  = 22
    port_max  = 22
  }
  rule {
    direction = "ingress"
    protocol  = "tcp"
    port_min  = 8080
    port_max  = 8080
  }
}

flavor "small" {
  name  = "PREFIXsmall"
  vcpus = 1
  ram   = 64
  disk  = 1
}

flavor "spare" {
  name  = "PREFIXspare"
  vcpus = 1
  ram   = 64
  disk  = 1
}

keypair "ops" {
  name       = "PREFIXops"
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops@example.org"
}

image "cirros" {
  name        = "PREFIXcirros"
  source      = "IMAGE"
  disk_format = "raw"
  visibility  = "public" # the server is in another project
}

image "shared" {
  name        = "PREFIXshared"
  source      = "IMAGE"
  disk_format = "raw"
  visibility  = "shared"
  members     = [project.guest]
}

volume "data" {
  name    = "PREFIXdata"
  project = project.dev
  size    = 1
}

instance "web" {
  name            = "PREFIXweb"
  project         = project.dev
  image           = image.cirros
  flavor          = flavor.small
  networks        = [network.web]
  keypair         = keypair.ops
  security_groups = [security_group.web]
  metadata        = { tier = "web" }
  depends_on      = [subnet.web]
}

floating_ip "web" {
  project          = project.dev
  floating_network = network.public
  instance         = instance.web
  depends_on       = [router.edge]
}
`

// Shrink replaces the demo by a cloud that converges much sooner. Every name in OpenStack is the prefix and that of the
// block.
func (w *World) Shrink(t testing.TB) {
	t.Helper()
	w.Describe(t, "small.hcl", strings.NewReplacer("PREFIX", w.Files.Prefix, "IMAGE", w.Image).Replace(small))
}

// Describe replaces the demo by another configuration, of one file.
func (w *World) Describe(t testing.TB, file, text string) {
	t.Helper()
	for name := range w.Files.Content() {
		if strings.HasSuffix(name, ".hcl") {
			w.Files.Remove(name)
		}
	}
	w.Files.Write(file, text)
}
