network "n" {
  for_each = toset(["x"])
  name     = each.key
}
