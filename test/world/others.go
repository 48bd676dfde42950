package world

import (
	"strings"
	"testing"
)

// others is a cloud of somebody else, with an object of each kind that the one of Shrink has not, and what those need.
const others = `cloud "others" {
  release   = "2026.1"
  region    = "RegionOne"
  namespace = "openstack"

  openstack {
    cloud = "others"
  }
}

project "dev" {
  name        = "PREFIXdev"
  description = "0"
  tags        = ["step0"]
  quota       = { volumes = 20, networks = 20 }
}

project "guest" {
  name = "PREFIXguest"
}

domain "customers" {
  name        = "PREFIXcustomers"
  description = "0"
}

region "north" {
  name        = "PREFIXnorth"
  description = "0"
}

identity_service "backup" {
  name        = "PREFIXbackup"
  type        = "PREFIXbackup"
  description = "0"
}

identity_endpoint "backup" {
  service   = identity_service.backup
  interface = "public"
  region    = region.north
  url       = "https://PREFIXbackup.example.org/v0"
}

registered_limit "copies" {
  service       = identity_service.backup
  resource_name = "copies"
  default_limit = 10
}

limit "copies" {
  project        = project.dev
  service        = identity_service.backup
  resource_name  = "copies"
  resource_limit = 20
  depends_on     = [registered_limit.copies]
}

group "operators" {
  name        = "PREFIXoperators"
  description = "0"
}

role "operator" {
  name        = "PREFIXoperator"
  description = "0"
}

role_assignment "operators" {
  role   = role.operator
  group  = group.operators
  domain = domain.customers
}

security_group "inner" {
  name        = "PREFIXinner"
  project     = project.dev
  description = "0"
}

user "alice" {
  name            = "PREFIXalice"
  password        = var.password
  description     = "0"
  default_project = project.dev
  groups          = [group.operators]
}

variable "password" {
  type      = string
  default   = "canary-of-alice"
  sensitive = true
}

data "role" "member" {
  name = "member"
}

application_credential "backup" {
  name        = "PREFIXbackup"
  secret      = "PREFIXbackup"
  roles       = [data.role.member]
  description = "0"
}

address_scope "inner" {
  name       = "PREFIXscope0"
  project    = project.dev
  ip_version = 4
}

subnet_pool "inner" {
  name          = "PREFIXinner"
  project       = project.dev
  address_scope = address_scope.inner
  prefixes      = ["10.64.0.0/16"]
  description   = "0"
}

qos_policy "gold" {
  name        = "PREFIXgold"
  project     = project.dev
  description = "0"
  dscp_mark   = 10

  bandwidth_limit {
    max_kbps = 1000
  }
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

network "side" {
  name    = "PREFIXside"
  project = project.dev
  tags    = ["step0"]
}

subnet "side" {
  name    = "PREFIXside"
  project = project.dev
  network = network.side
  cidr    = "10.20.5.0/24"
}

router "edge" {
  name        = "PREFIXedge"
  project     = project.dev
  subnets     = [subnet.web]
  description = "0"

  route {
    destination = "10.98.0.0/24"
    next_hop    = "10.20.4.250"
  }
}

rbac_policy "everybody" {
  object_type = "network"
  object      = network.web.id
  action      = "access_as_shared"
  target      = project.guest.id
}

port "parent" {
  name        = "PREFIXparent"
  project     = project.dev
  network     = network.web
  qos_policy  = qos_policy.gold
  description = "0"
  depends_on  = [subnet.web]
}

port "child" {
  name       = "PREFIXchild"
  project    = project.dev
  network    = network.web
  depends_on = [subnet.web]
}

trunk "web" {
  name        = "PREFIXweb"
  project     = project.dev
  port        = port.parent
  description = "0"

  sub_port {
    port            = port.child
    segmentation_id = 7
  }
}

host_aggregate "fast" {
  name     = "PREFIXfast0"
  hosts    = ["HOST"]
  metadata = { step = "0" }
}

server_group "web" {
  name    = "PREFIXweb"
  project = project.dev
  policy  = "soft-anti-affinity"
}

flavor "small" {
  name  = "PREFIXsmall"
  vcpus = 1
  ram   = 64
  disk  = 1
}

flavor "large" {
  name        = "PREFIXlarge"
  vcpus       = 1
  ram         = 128
  disk        = 1
  description = "0"
  public      = false
  access      = [project.dev]
  extra_specs = { step = "0", more = "0 to go" }
}

image "fetched" {
  name         = "PREFIXfetched"
  web_download = "IMAGE"
  disk_format  = "raw"
  properties   = { step = "0" }
}

image "cirros" {
  name        = "PREFIXcirros"
  source      = "IMAGE"
  disk_format = "raw"
  visibility  = "public"
}

volume_qos "gold" {
  name  = "PREFIXgold"
  specs = { total_iops_sec = "100", more = "0 to go" }
}

volume_type "gold" {
  name        = "PREFIXgold"
  description = "0"
  public      = false
  access      = [project.dev]
  qos         = volume_qos.gold
  extra_specs = { step = "0", more = "0 to go" }
}

volume "data" {
  name        = "PREFIXdata"
  project     = project.dev
  size        = 1
  description = "0"
  metadata    = { step = "0", more = "0 to go" }
}

volume "more" {
  name    = "PREFIXmore"
  project = project.dev
  size    = 1
}

snapshot "before" {
  name        = "PREFIXbefore"
  project     = project.dev
  volume      = volume.data
  description = "0"
}

instance "web" {
  name       = "PREFIXweb"
  project    = project.dev
  image      = image.cirros
  flavor     = flavor.small
  networks   = [network.web]
  depends_on = [subnet.web, subnet.side]

  lifecycle {
    replace = true # a network that is taken out takes its address along
  }
}

instance "sized" {
  name     = "PREFIXsized"
  project  = project.dev
  metadata = { step = "0", more = "0 to go" }
  image    = image.cirros
  networks = []
  heal     = "restart"
  flavor   = flavor.small
}

instance "halted" {
  name     = "PREFIXhalted"
  project  = project.dev
  image    = image.cirros
  flavor   = flavor.small
  networks = []
  heal     = "rebuild"
  running  = true
}

volume_attachment "more" {
  instance = instance.web
  volume   = volume.more
}
`

// Vary replaces the demo by a cloud with the kinds of OpenStack that the one of [World.Shrink] has not. What can be
// changed in place says 0 in a description. host is one that instances run on.
func (w *World) Vary(t testing.TB, host string) {
	t.Helper()
	w.Describe(t, "others.hcl", strings.NewReplacer("PREFIX", w.Files.Prefix, "IMAGE", w.Image, "HOST", host).Replace(others))
}
