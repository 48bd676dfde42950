cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

module "edge" {
  source = "./edge"

  network {
    name = "x"
  }
}

module "edge" {
  source = "./edge"
}

output "id" {
  value = 1
}
