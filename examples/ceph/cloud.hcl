# A cloud whose images, volumes, backups and disks of instances are in a cluster of Ceph that somebody else looks
# after, with volumes on disks of nodes beside them. The pools are there, and so are the users:
#
#     ceph auth get-or-create client.glance mon 'profile rbd' osd 'profile rbd pool=images'
#     ceph auth get-or-create client.cinder mon 'profile rbd' \
#         osd 'profile rbd pool=volumes, profile rbd pool=volumes-ssd, profile rbd pool=vms, profile rbd-read-only pool=images'
#     ceph auth get-or-create client.cinder-backup mon 'profile rbd' osd 'profile rbd pool=backups'
#
# Each key is in a Secret, of which that of the volumes may be read, as hypervisors get it:
#
#     kubectl -n openstack create secret generic ceph-volumes --from-literal=key="$(ceph auth get-key client.cinder)"
#     kubectl -n openstack label secret ceph-volumes kupenstack.io/readable=true

cloud "ceph" {
  release         = "2026.1"
  storage_backend = "ceph"

  charts {
    repository = "charts"
  }

  ceph {
    mon_hosts = ["192.0.2.11", "192.0.2.12", "192.0.2.13"]
    images    = { pool = "images", user = "glance", secret = "ceph-images" }
    volumes   = { pool = "volumes", user = "cinder", secret = "ceph-volumes" }
    backups   = { pool = "backups", user = "cinder-backup", secret = "ceph-backups" }
    instances = { pool = "vms" }
  }

  service "mariadb" {
    replicas = 3
  }
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}
  service "glance" {}
  service "placement" {}
  service "openvswitch" {}
  service "libvirt" {}
  service "neutron" {}
  service "nova" {}
  service "cinder" {
    backend "standard" {
      type    = "rbd"
      default = true
    }
    backend "fast" {
      type = "rbd"
      pool = "volumes-ssd"
    }
    backend "local" {
      type         = "lvm"
      volume_group = "nvme"
    }
  }
}

node "control" {
  for_each = toset(["1", "2", "3"])

  name  = "control-${each.key}"
  roles = ["control-plane", "network"]
}

node "worker" {
  for_each = toset(["1", "2"])

  name  = "worker-${each.key}"
  roles = ["compute"]
}
