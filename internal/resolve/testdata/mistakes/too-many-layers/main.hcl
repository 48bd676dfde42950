cloud "demo" {
  release = "2026.1"
  profile = profile.p40
  charts {
    repository = "charts"
  }
  service "keystone" {}
}

profile "p1" {}

profile "p2" {
  from = profile.p1
}

profile "p3" {
  from = profile.p2
}

profile "p4" {
  from = profile.p3
}

profile "p5" {
  from = profile.p4
}

profile "p6" {
  from = profile.p5
}

profile "p7" {
  from = profile.p6
}

profile "p8" {
  from = profile.p7
}

profile "p9" {
  from = profile.p8
}

profile "p10" {
  from = profile.p9
}

profile "p11" {
  from = profile.p10
}

profile "p12" {
  from = profile.p11
}

profile "p13" {
  from = profile.p12
}

profile "p14" {
  from = profile.p13
}

profile "p15" {
  from = profile.p14
}

profile "p16" {
  from = profile.p15
}

profile "p17" {
  from = profile.p16
}

profile "p18" {
  from = profile.p17
}

profile "p19" {
  from = profile.p18
}

profile "p20" {
  from = profile.p19
}

profile "p21" {
  from = profile.p20
}

profile "p22" {
  from = profile.p21
}

profile "p23" {
  from = profile.p22
}

profile "p24" {
  from = profile.p23
}

profile "p25" {
  from = profile.p24
}

profile "p26" {
  from = profile.p25
}

profile "p27" {
  from = profile.p26
}

profile "p28" {
  from = profile.p27
}

profile "p29" {
  from = profile.p28
}

profile "p30" {
  from = profile.p29
}

profile "p31" {
  from = profile.p30
}

profile "p32" {
  from = profile.p31
}

profile "p33" {
  from = profile.p32
}

profile "p34" {
  from = profile.p33
}

profile "p35" {
  from = profile.p34
}

profile "p36" {
  from = profile.p35
}

profile "p37" {
  from = profile.p36
}

profile "p38" {
  from = profile.p37
}

profile "p39" {
  from = profile.p38
}

profile "p40" {
  from = profile.p39
}
