cloud "demo" {
  openstack { cloud = "x" }
}

project "shop" {}

network "web" {
  project = "shop"
}

network "other" {
  project = "5f0b9a3c1d5e4a6f8b7c9d0e1f2a3b4c"
}

data "network" "public" {
  name = "public"
}

subnet "a" {
  network = "public"
  cidr    = "10.0.0.0/24"
}

subnet "b" {
  network = network.other
  cidr    = "10.0.1.0/24"
}

router "edge" {
  subnets = ["a", "7d3b2c52-2b8a-4f4b-9a3f-0c6ab0b3e0c5", "b"]
}

keypair "ops" {
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops"
}

instance "web" {
  image   = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor  = "2"
  keypair = "ops"
}
