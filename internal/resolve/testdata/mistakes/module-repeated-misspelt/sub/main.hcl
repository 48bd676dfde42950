network "n" {
  nme = "x"
}

network "o" {
  descripton = "an error that says nothing of the name"
}
