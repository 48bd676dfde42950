cloud "test" {
  openstack {
    cloud = "test"
  }
}

# What a mistake in the very expression that seals a value would quote is not shown either. The lines
# of the configuration are.
locals {
  keys   = { for x in [sensitive(file("pw.txt")), sensitive(file("pw.txt"))] : x => 1 }
  number = sensitive(file("pw.txt")) + 1
  member = { a = 1 }[sensitive(file("pw.txt"))]
  text   = templatestring("$${tonumber(sensitive(x))}", { x = file("pw.txt") })
}
