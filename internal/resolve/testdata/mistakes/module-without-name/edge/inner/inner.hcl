network "inner" {
  name = null
}

project "inner" {
}
