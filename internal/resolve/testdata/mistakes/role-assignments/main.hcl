cloud "demo" {
  openstack {
    cloud = "demo"
  }
}

role "auditor" {}
group "auditors" {}
domain "customers" {}
project "shop" {}

role_assignment "nobody" {
  role    = role.auditor
  project = project.shop
}

role_assignment "nowhere" {
  role   = role.auditor
  group  = group.auditors
  system = false
}

role_assignment "both" {
  role   = role.auditor
  group  = group.auditors
  user   = "5d0d51acfa1c4e9f9d1a3c1b2e9a7c45"
  domain = domain.customers
}

role_assignment "everywhere" {
  role   = role.auditor
  group  = group.auditors
  domain = domain.customers
  system = true
}

role_assignment "below" {
  role      = role.auditor
  group     = group.auditors
  system    = true
  inherited = true
}

role_assignment "right" {
  role      = role.auditor
  group     = group.auditors
  domain    = domain.customers
  inherited = true
}

identity_endpoint "backup" {
  service   = group.auditors
  interface = "private"
  url       = "backup.example.org"
}

role_assignment "twisted" {
  role   = group.auditors
  group  = role.auditor
  system = true
}

data "identity_endpoint" "backup" {}

role "second" {
  name        = "auditor"
  description = "x [kupenstack:abc]"
}
