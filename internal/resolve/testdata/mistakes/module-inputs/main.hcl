cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

variable "token" {
  default   = "s3cret"
  sensitive = true
}

module "missing" {
  source = "./edge"
  cidr   = "10.0.0.0/16"
}

module "unknown" {
  source = "./edge"
  nmae   = "x"
  name   = "x"
  cidr   = "10.0.0.0/16"
}

module "wrong" {
  source = "./edge"
  name   = ["x"]
  cidr   = "10.0.0.0"
}

module "secret" {
  source = "./edge"
  name   = "x"
  cidr   = "s3cret: ${var.token}"
}
