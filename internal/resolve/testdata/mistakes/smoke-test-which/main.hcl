cloud "test" {
  openstack { cloud = "prod" }
  smoke_test {
    image   = network.web.id == "x" ? data.image.a : data.image.b
    flavor  = data.flavor.small
    network = network.many
    project = sensitive("d32019d3bc6e43199c1d6722fc136a22")
    volume  = network.web.id == "x"
  }
}

network "web" {}

network "many" {
  for_each = toset(["a", "b"])
  name     = each.key
}

data "image" "a" { name = "a" }

data "image" "b" { name = "b" }

data "flavor" "small" { name = "small" }
