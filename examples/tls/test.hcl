# What the smoke test makes its instance from, in a project of its own.
project "test" {
  quota = { instances = 2, cores = 2 }
}

network "test" {
  project = project.test
}

subnet "test" {
  project = project.test
  network = network.test
  cidr    = "192.0.2.0/28"
}

flavor "tiny" {
  vcpus = 1
  ram   = 256
  disk  = 1
}

image "cirros" {
  source      = "https://images.example.org/cirros-0.6.3-x86_64-disk.img"
  checksum    = "sha256:7d6355852aeb6dbcd191bcda7cd74f1536cfe5cbf8a10495a7283a8396e4b75b"
  disk_format = "qcow2"
  visibility  = "public"
}
