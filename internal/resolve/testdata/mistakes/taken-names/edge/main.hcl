keypair "ops" {
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops"
}

keypair "more" {
  name       = "ops"
  public_key = keypair.ops.public_key
}
