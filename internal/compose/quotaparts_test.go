package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestQuotasOfWhatComesAlong: an instance that names no network has a port in the only one, subnets of IPv6 in one network have
// one port of a router together, our mark is an item of metadata, and of groups the fullest counts.
func TestQuotasOfWhatComesAlong(t *testing.T) {
	const inside = `
data "image" "i" { name = "i" }
data "flavor" "f" { name = "f" }
network "n" { project = project.p }
network "m" { project = project.p }
subnet "four" {
  project = project.p
  network = network.n
  cidr    = "192.0.2.0/25"
}
subnet "six" {
  for_each = toset(["1", "2"])
  name     = each.key
  project  = project.p
  network  = network.n
  cidr     = "2001:db8:${each.key}::/64"
}
subnet "other" {
  project = project.p
  network = network.m
  cidr    = "2001:db8:9::/64"
}
router "r" {
  project = project.p
  subnets = [subnet.four, subnet.six["1"], subnet.six["2"], subnet.other]
}
server_group "g" {
  project = project.p
  policy  = "affinity"
}
instance "i" {
  for_each     = toset(["a", "b"])
  name         = each.key
  project      = project.p
  image        = data.image.i
  flavor       = data.flavor.f
  server_group = server_group.g
  metadata     = { tier = "web", of = "shop" }
}
instance "alone" {
  project  = project.p
  image    = data.image.i
  flavor   = data.flavor.f
  networks = []
}
`
	for quota, want := range map[string]string{
		"ports = 5":                "", // 3 of the router, and 1 of each instance that names no network
		"ports = 4":                "5 ports, and the quota allows 4",
		"metadata_items = 3":       "",
		"metadata_items = 2":       "3 metadata items, and the quota allows 2",
		"server_group_members = 2": "",
		"server_group_members = 1": "2 server group members, and the quota allows 1",
	} {
		m, ev := composed.Text(t, "cloud \"c\" {\n  openstack { cloud = \"prod\" }\n}\nproject \"p\" {\nquota = { "+quota+" }\n}\n"+inside)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var got string
		for _, d := range diags {
			if d.Code == "compose.quota" {
				got += d.Detail
			}
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: told %q, want %q", quota, got, want)
		}
	}
}
