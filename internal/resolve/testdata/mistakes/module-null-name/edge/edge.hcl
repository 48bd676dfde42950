network "inner" {
  name = null
}
