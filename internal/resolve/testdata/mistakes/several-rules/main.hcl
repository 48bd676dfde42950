cloud "test" {
  openstack {
    cloud = "test"
  }
}

# A value that breaks several rules is told of all of them, at the same place.
module "m" {
  for_each = toset(["a", "b"])
  source   = "./m"
  s        = "zz${each.key}"
}

# The same for services as for blocks: nothing would come of a misspelt name.
removed {
  from = service.novaa
}
removed {
  from = service.horizon
}
