cloud "prod" {
  openstack {
    cloud = "prod"
  }
}

removed {
  from        = cloud.prod
  delete_data = ["mariadb", "mysql", "glanse"]
}

removed {
  from        = service.glance
  delete_data = ["glance"]
}

removed {
  from        = network.old
  delete_data = []
}
