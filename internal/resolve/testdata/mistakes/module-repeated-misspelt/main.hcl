cloud "demo" {}

module "m" {
  for_each = toset(["a", "b"])
  source   = "./sub"
}
