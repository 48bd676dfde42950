cloud "test" {
  release = "2026.1"

  charts {
    repository = "git+https://git.example.org/openstack-helm.git//../etc"
  }
}

chart "scheme" {
  repository = "git+http://git.example.org/charts.git"
}

chart "password" {
  repository = "git+https://reader:secret@git.example.org/charts.git"
}

chart "tag" {
  repository = "git+ssh://git@git.example.org/charts.git//deploy?tag=v1"
}

chart "branch" {
  repository = "git+https://git.example.org/charts.git?ref=--upload-pack"
}

chart "commit" {
  repository = "git+https://git.example.org/charts.git#v1"
}

chart "without-git" {
  repository = "https://git.example.org/charts.git//deploy?ref=v1"
}

chart "by-ssh" {
  repository = "git@git.example.org:team/charts.git"
}

chart "with-a-password" {
  repository = "https://reader:secret@git.example.org/charts.git"
}
