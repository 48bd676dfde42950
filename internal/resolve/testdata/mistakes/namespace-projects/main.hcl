cloud "c" {
  openstack {
    cloud = "c"
  }
  namespace_projects {
    selector = {}
  }
}
