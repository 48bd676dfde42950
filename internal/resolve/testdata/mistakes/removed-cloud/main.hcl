cloud "prod" {
  openstack {
    cloud = "prod"
  }
}

removed {
  from = cloud.staging
}

removed {
  from = cloud.prod

  lifecycle {
    destroy = false
  }
}

removed {
  from = cloud.prod
}

removed {
  from = cloud.prod
}

removed {
  from = cloud
}

moved {
  from = cloud.prod
  to   = cloud.staging
}

module "edge" {
  source = "./edge"
}
