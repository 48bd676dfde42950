# A cloud whose images, volumes, backups and disks of instances are in a cluster of Ceph that somebody else looks
# after, with volumes on disks of nodes beside them. Its APIs speak TLS inside of the cluster and outside, with
# certificates of cert-manager, and upgrades that fail go back. The pools are there, and so are the users:
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
  network_backend = "ovn"
  storage_backend = "ceph"

  charts {
    repository = "charts"
  }

  # Inside: the certificates are of an authority of yours, which all that talks to the APIs trusts.
  tls {
    issuer = { kind = "ClusterIssuer", name = "openstack-ca" }
  }

  # Outside: keystone.cloud.example.org and the like.
  exposure {
    domain        = "cloud.example.org"
    ingress_class = "nginx"
    issuer        = { name = "letsencrypt" }
    annotations   = { "nginx.ingress.kubernetes.io/proxy-body-size" = "0" } # images are large
  }

  ceph {
    mon_hosts = ["192.0.2.11", "192.0.2.12", "192.0.2.13"]
    images    = { pool = "images", user = "glance", secret = "ceph-images" }
    volumes   = { pool = "volumes", user = "cinder", secret = "ceph-volumes" }
    backups   = { pool = "backups", user = "cinder-backup", secret = "ceph-backups" }
    instances = { pool = "vms" }
  }

  service "mariadb" {
    replicas     = 3
    storage_size = "50Gi"
  }
  service "rabbitmq" { replicas = 3 }
  service "memcached" {}
  service "keystone" {
    replicas   = 2
    on_failure = "rollback" # an upgrade that fails goes back, where no hook has changed the database
    log_level  = "warning"
    resources  = { tls = { requests = { cpu = "50m", memory = "32Mi" } } } # of the nginx before it
  }
  service "glance" {
    replicas   = 2
    on_failure = "rollback"
    log_level  = "warning"
  }
  service "placement" {
    replicas   = 2
    on_failure = "rollback"
  }
  service "openvswitch" {}
  service "ovn" {}
  service "libvirt" {}
  service "neutron" {
    replicas   = { server = 2, rpc_server = 2 }
    on_failure = "rollback"
  }
  service "nova" {
    replicas   = { osapi = 2, api_metadata = 2, conductor = 2, scheduler = 2 }
    on_failure = "rollback"
    log_level  = "debug" # while the cloud is new
  }
  service "horizon" {}
  service "cinder" {
    replicas   = { api = 2, scheduler = 2 }
    on_failure = "rollback"

    # The disks of the backend local are in this node, so that is where the one cinder-volume has to stay.
    values = { labels = { volume = { node_selector_key = "kubernetes.io/hostname", node_selector_value = "control-1" } } }

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
