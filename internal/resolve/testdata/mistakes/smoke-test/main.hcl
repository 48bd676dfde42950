cloud "test" {
  openstack { cloud = "prod" }
  smoke_test {
    image   = image.cirros
    flavor  = network.web
    network = "web"
    volumes = true
  }
  smoke_test {
    image = null
  }
}

network "web" {}
