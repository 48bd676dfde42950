cloud "demo" {}
