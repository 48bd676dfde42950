package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestQuotasOfWhatComesAlong: an instance that names no network has a port in the only one, subnets of IPv6 in one network have
// one port of a router together, our mark is an item of metadata, as is that there is to be no drive, and of groups the fullest counts.
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
instance "driveless" {
  project      = project.p
  image        = data.image.i
  flavor       = data.flavor.f
  networks     = []
  metadata     = { tier = "web", of = "shop" }
  config_drive = false
}
`
	for quota, want := range map[string]string{
		"ports = 5":                "", // 3 of the router, and 1 of each instance that names no network
		"ports = 4":                "5 ports, and the quota allows 4",
		"metadata_items = 4":       "",
		"metadata_items = 3":       "4 metadata items, and the quota allows 3", // of the one without a drive
		"metadata_items = 2":       "4 metadata items, and the quota allows 2",
		"server_group_members = 2": "",
		"server_group_members = 1": "2 server group members, and the quota allows 1",
	} {
		m, ev := composed.Text(t, "cloud \"c\" {\n  openstack { cloud = \"prod\" }\n}\nproject \"p\" {\nquota = { "+quota+" }\n}\n"+inside)
		got := quotaWarnings(t, m, ev)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: told %q, want %q", quota, got, want)
		}
	}
}

// What is sensitive is in no warning, be it how large something is, what it is as large as, in which project it is, or the limit.
func TestNothingSensitiveIsInWarningsOfQuotas(t *testing.T) {
	const canary = "31337"
	for name, c := range map[string]struct{ text, want string }{
		"a size":             {"volume \"v\" {\n  project = project.p\n  size = sensitive(" + canary + ")\n}", ""},
		"a size of several":  {"volume \"v\" {\n  project = project.p\n  size = sensitive(" + canary + ")\n}\nvolume \"w\" {\n  project = project.p\n  size = 5\n}", "5 gigabytes, and the quota allows 4; 5 per volume gigabytes"},
		"a size of a flavor": {"flavor \"f\" {\n  vcpus = sensitive(" + canary + ")\n  ram = 1\n}\ninstance \"i\" {\n  project = project.p\n  image = data.image.i\n  flavor = flavor.f\n}", ""},
		"a flavor":           {"flavor \"f\" {\n  vcpus = " + canary + "\n  ram = 1\n}\ninstance \"i\" {\n  project = project.p\n  image = data.image.i\n  flavor = sensitive(flavor.f.id)\n}", ""},
		"a project":          {"volume \"v\" {\n  project = sensitive(project.p.id)\n  size = " + canary + "\n}", ""},
		"a map":              {"instance \"i\" {\n  project = project.p\n  image = data.image.i\n  flavor = data.flavor.f\n  metadata = sensitive({ a = \"1\", b = \"2\" })\n}", ""},
	} {
		m, ev := composed.Text(t, "cloud \"c\" {\n  openstack { cloud = \"prod\" }\n}\nproject \"p\" {\nquota = { gigabytes = 4, cores = 4, per_volume_gigabytes = 4, metadata_items = 1 }\n}\ndata \"image\" \"i\" { name = \"i\" }\ndata \"flavor\" \"f\" { name = \"f\" }\n"+c.text)
		if got := quotaWarnings(t, m, ev); strings.Contains(got, canary) || c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: told %q, want %q", name, got, c.want)
		}
	}
	for _, quota := range []string{"quota = { volumes = sensitive(0) }", "quota = sensitive({ volumes = 0 })"} {
		m, ev := composed.Text(t, "cloud \"c\" {\n  openstack { cloud = \"prod\" }\n}\nproject \"p\" {\n"+quota+"\n}\nvolume \"v\" {\n  project = project.p\n  size = 1\n}\n")
		if got := quotaWarnings(t, m, ev); got != "" {
			t.Errorf("%s: told %q", quota, got)
		}
	}
}

func quotaWarnings(t *testing.T, m *model.Model, ev compose.Evaluator) (text string) {
	t.Helper()
	_, diags := compose.Compose(m, ev, compose.Facts{})
	for _, d := range diags {
		if d.Code == "compose.quota" {
			text += d.Detail
		}
	}
	return text
}
