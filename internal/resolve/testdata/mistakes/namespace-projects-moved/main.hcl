cloud "test" {
  openstack {
    cloud = "test"
  }
  namespace_projects {
    selector = { "example.org/tenant" = "true" }
  }
}

project "shop" {}

moved {
  from = project.old
  to   = project.namespaces["old"]
}
moved {
  from = project.namespaces["shop"]
  to   = project.shop
}
removed {
  from = project.namespaces["blog"]
}
removed {
  from = project.namespaces
}
import {
  to = project.namespaces["wiki"]
  id = "d32019d3bc6e43199c1d6722fc136a22"
}
import {
  to = project.namespaces
  id = "d32019d3bc6e43199c1d6722fc136a23"
}
