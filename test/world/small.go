package world

import (
	"strings"
	"testing"
)

// small is a cloud with as little in it as has every class of objects: releases with hooks and
// without, a node, and a server with all that it needs.
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
}

node "node-1" {
  roles = ["control-plane"]
}

project "dev" {
  name = "PREFIXdev"
}

network "web" {
  name    = "PREFIXweb"
  project = project.dev
}

subnet "web" {
  name    = "PREFIXweb"
  project = project.dev
  network = network.web
  cidr    = "10.20.4.0/24"
}

flavor "small" {
  name  = "PREFIXsmall"
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

instance "web" {
  name       = "PREFIXweb"
  project    = project.dev
  image      = image.cirros
  flavor     = flavor.small
  networks   = [network.web]
  keypair    = keypair.ops
  depends_on = [subnet.web]
}
`

// Shrink replaces the demo by a cloud that converges much sooner. Every name in OpenStack is the
// prefix and dev, web, small, ops or cirros.
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
