cloud "test" {
  openstack { cloud = "test" }
  ceph { mon_hosts = ["192.0.2.11"] }
}
