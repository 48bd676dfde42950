# A cloud that keeps images, volumes, backups and disks of instances in a Ceph that Rook runs on the same nodes, pools
# and users of it included. Rook's operator is there already, in the namespace rook-ceph, and the daemon may write what
# Rook makes Ceph of. Where charts have an account of their own, that one writes in Rook's namespace as well:
#
#     helm upgrade kupenstack deploy/chart --namespace kupenstack-system --reuse-values \
#         --set 'deployer.namespaces={openstack,rook-ceph}' --set-json \
#         'rbac.extraRules=[{"apiGroups":["ceph.rook.io"],"resources":["*"],"verbs":["get","list","watch","create","patch","delete"]}]'
#
# The services that keep something in Ceph wait until Rook says of all of it that it is ready. The cluster and its pools
# stay when they are taken out of here: with them goes what is in them, so they are deleted by hand.

cloud "rook" {
  release         = "2026.1"
  network_backend = "ovn"
  storage_backend = "ceph"

  charts {
    repository = "charts"
  }

  ceph {
    rook_namespace = local.rook
    images         = { pool = "images", user = "glance" }
    volumes        = { pool = "volumes", user = "cinder" }
    backups        = { pool = "backups", user = "cinder-backup" }
    instances      = { pool = "vms" }
  }

  # It tells the charts of the monitors that Rook has.
  service "ceph-adapter-rook" {}

  service "mariadb" { replicas = 3 }
  service "rabbitmq" { replicas = 3 }
  service "memcached" {}
  service "keystone" { replicas = 2 }
  service "glance" { replicas = 2 }
  service "placement" { replicas = 2 }
  service "openvswitch" {}
  service "ovn" {}
  service "libvirt" {}
  service "neutron" { replicas = { server = 2, rpc_server = 2 } }
  service "nova" { replicas = { osapi = 2, api_metadata = 2, conductor = 2, scheduler = 2 } }
  service "cinder" { replicas = { api = 2, scheduler = 2 } }
}

locals {
  rook = "rook-ceph"

  pools = ["images", "volumes", "backups", "vms"]

  # What each user may do in which pools. Clones of images are volumes and disks, so Cinder and Nova read those.
  users = {
    "glance"        = "profile rbd pool=images"
    "cinder"        = "profile rbd pool=volumes, profile rbd pool=vms, profile rbd-read-only pool=images"
    "cinder-backup" = "profile rbd pool=backups"
  }
}

manifest "ceph" {
  namespace = local.rook

  objects = concat(
    [{
      apiVersion = "ceph.rook.io/v1"
      kind       = "CephCluster"
      metadata   = { name = "rook-ceph", namespace = local.rook }
      spec = {
        cephVersion     = { image = "quay.io/ceph/ceph:v17.2.6" }
        dataDirHostPath = "/var/lib/rook"
        mon             = { count = 3, allowMultiplePerNode = false }
        mgr             = { count = 2 }
        # Instances are on nodes, and reach Ceph by the network of these.
        network = { provider = "host" }
        storage = { useAllNodes = true, useAllDevices = false, deviceFilter = "^nvme[1-9]n1$" }
        # What is on disks is never wiped by taking the object away.
        cleanupPolicy = { confirmation = "" }
      }
    }],
    [for pool in local.pools : {
      apiVersion = "ceph.rook.io/v1"
      kind       = "CephBlockPool"
      metadata   = { name = pool, namespace = local.rook }
      spec       = { failureDomain = "host", replicated = { size = 3 } }
    }],
    [for user, osd in local.users : {
      apiVersion = "ceph.rook.io/v1"
      kind       = "CephClient"
      metadata   = { name = user, namespace = local.rook }
      spec       = { caps = { mon = "profile rbd", mgr = "profile rbd", osd = osd } }
    }],
  )

  lifecycle { prevent_destroy = true }
}

node "control" {
  for_each = toset(["1", "2", "3"])

  name  = "control-${each.key}"
  roles = ["control-plane", "network"]
}

node "worker" {
  for_each = toset(["1", "2", "3"])

  name  = "worker-${each.key}"
  roles = ["compute"]
}
