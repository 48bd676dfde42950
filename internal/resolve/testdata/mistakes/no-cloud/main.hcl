network "web" {}
