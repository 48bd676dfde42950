network "web" {}

module "inner" {
  source = "./inner"
}
