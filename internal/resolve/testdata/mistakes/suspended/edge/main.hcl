network "b" {}
suspended {
  target = service.nova
}
suspended {
  target = network.b
}
