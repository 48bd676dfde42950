moved {
  from = project.old
  to   = project.dev
}
import {
  to = project.dev
  id = "0b8ce3a8"
}
removed {
  from = network.gone
  lifecycle {
    destroy = false
  }
}
removed {
  from = subnet.gone
}
import {
  to     = security_group.web
  filter = { name = "web" }
}
