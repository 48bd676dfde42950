cloud "demo" {
  service "keystone" {}
}
