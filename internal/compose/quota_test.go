package compose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestProjectsWaitForWhatKeepsTheirQuota: a project needs Keystone alone to be made, and the services
// whose limits it writes to be ready. What is in it needs the limits of the service that keeps it.
func TestProjectsWaitForWhatKeepsTheirQuota(t *testing.T) {
	complete := composed.Source("ovs", "")
	const late = "flavor \"f\" {\n  vcpus = 1\n  ram   = 64\n}\n"
	const inside = `
network "n" { project = project.p }
network "after" { depends_on = [project.p] }
network "both" {
  project    = project.p
  depends_on = [project.p]
}
data "image" "i" { name = "i" }
instance "i" {
  project  = project.p
  image    = data.image.i
  flavor   = flavor.f
  networks = [network.n]
}
`
	for name, c := range map[string]struct {
		quota string
		want  []string
		part  string
	}{
		"none":           {"", []string{"start keystone"}, ""},
		"null":           {"quota = null", []string{"start keystone"}, ""},
		"empty":          {"quota = {}", []string{"start keystone"}, ""},
		"nova":           {"quota = { cores = 4 }", []string{"start keystone", "keep nova", "ready nova"}, "neutron"},
		"neutron":        {"quota = { routers = -1 }", []string{"start keystone", "keep neutron", "ready neutron"}, "neutron"},
		"both":           {"quota = { ram = 64, ports = 2 }", []string{"start keystone", "keep neutron", "ready neutron", "keep nova", "ready nova"}, "neutron"},
		"a limit is not": {"quota = { cores = null, ports = 2 }", []string{"start keystone", "keep neutron", "ready neutron"}, "neutron"},
		"a late limit":   {"quota = { ports = tonumber(flavor.f.id) }", []string{"start flavor.f", "start keystone", "keep neutron", "ready neutron"}, "neutron"},
		"sensitive":      {"quota = sensitive({ cores = 4 })", []string{"start keystone", "keep nova", "ready nova"}, "neutron"},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, complete+late+"project \"p\" {\n"+c.quota+"\n}\n"+inside)
			units := composed.Compose(t, m, ev, compose.Facts{OpenStackGiven: true})
			var got []string
			for _, e := range units["project.p"].Edges {
				if e.Until != unit.Ready || e.Part != "" {
					t.Errorf("it does not wait for all of %s to be ready: %+v", e.To, e)
				}
				got = append(got, string(e.Gate)+" "+strings.TrimPrefix(e.To.String(), "service."))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("it waits for %v, want %v", got, c.want)
			}
			for address, want := range map[string][]string{
				"network.n": {c.part}, "network.after": {""}, "network.both": {""}, "instance.i": {""},
			} {
				var parts []string
				for _, e := range units[address].Edges {
					if e.To == units["project.p"].Address {
						parts = append(parts, e.Part)
					}
				}
				if !slices.Equal(parts, want) {
					t.Errorf("%s waits for the parts %q of the project, want %q", address, parts, want)
				}
			}
		})
	}
}

// TestQuotasOfACloudThatSomebodyElseDeployed: there is nothing to wait for.
func TestQuotasOfACloudThatSomebodyElseDeployed(t *testing.T) {
	m, ev := composed.Text(t, "cloud \"c\" {\n  openstack { cloud = \"prod\" }\n}\nproject \"p\" {\n  quota = { cores = 4, ports = 2 }\n}\n")
	if edges := composed.Compose(t, m, ev, compose.Facts{})["project.p"].Edges; len(edges) > 0 {
		t.Errorf("it waits for %v", edges)
	}
}

// TestQuotasAreChecked warns of what OpenStack would refuse, as far as the configuration says it.
func TestQuotasAreChecked(t *testing.T) {
	complete := composed.Source("ovs", "")
	const inside = `
data "flavor" "theirs" { name = "large" }
flavor "small" {
  vcpus = 2
  ram   = 1024
}
data "image" "i" { name = "i" }
network "n" { project = project.p }
network "others" {}
instance "i" {
  for_each = toset(["a", "b"])
  name     = each.key
  project  = project.p.id
  image    = data.image.i
  flavor   = flavor.small
  networks = [network.n]
}
instance "theirs" {
  project  = project.p
  image    = data.image.i
  flavor   = data.flavor.theirs
  networks = [network.n]
}
volume "v" {
  for_each = toset(["a", "b"])
  name     = each.key
  project  = project.p
  size     = 10
}
snapshot "s" {
  project = project.p
  volume  = volume.v["a"]
}
subnet "s" {
  network = network.n
  project = project.p
  cidr    = "192.0.2.0/25"
}
router "r" {
  project = project.p
  subnets = [subnet.s]
}
security_group "s" {
  project = project.p
  rule {
    protocol    = "tcp"
    direction   = "ingress"
    remote_cidr = "192.0.2.0/24"
  }
  rule {
    protocol    = "udp"
    direction   = "ingress"
    remote_cidr = "192.0.2.0/24"
  }
}
`
	for quota, want := range map[string][]string{
		"instances = 3, cores = 4, ram = 2048, networks = 1, volumes = 2, snapshots = 1, gigabytes = 30, per_volume_gigabytes = 10": nil,
		"instances = -1, cores = -1":             nil,
		"instances = 2":                          {"has in project.p 3 instances, and the quota allows 2"},
		"cores = 3, ram = 2047":                  {"2048 ram, and the quota allows 2047; 4 cores, and the quota allows 3"},
		"networks = 0, subnets = 1, routers = 1": {"has in project.p 1 networks, and the quota allows 0"},
		"volumes = 1":                            {"2 volumes, and the quota allows 1"},
		"gigabytes = 29":                         {"30 gigabytes, and the quota allows 29"},
		"ports = 4":                              nil,
		"ports = 3":                              {"4 ports, and the quota allows 3"},
		"security_group_rules = 8":               nil,
		"security_group_rules = 7":               {"8 security group rules (with 4 that OpenStack makes in each project), and the quota allows 7"},
		"security_groups = 2":                    nil,
		"security_groups = 1":                    {"2 security groups (with 1 that OpenStack makes in each project), and the quota allows 1"},
		"per_volume_gigabytes = 9":               {"10 per volume gigabytes, and the quota allows 9"},
		"instances = tonumber(flavor.small.id)":  nil,
	} {
		m, ev := composed.Text(t, complete+"project \"p\" {\nquota = { "+quota+" }\n}\n"+inside)
		_, diags := compose.Compose(m, ev, compose.Facts{OpenStackGiven: true})
		var got []string
		for _, d := range diags {
			if d.Code == "compose.quota" {
				got = append(got, d.Detail)
			}
		}
		if len(got) != len(want) || len(want) == 1 && !strings.Contains(got[0], want[0]) {
			t.Errorf("%s: told %q, want %q", quota, got, want)
		}
	}
}

// TestQuotaOfTheGroupOfAProject: the security group that Neutron makes in each project is none besides where a block takes it over.
func TestQuotaOfTheGroupOfAProject(t *testing.T) {
	complete := composed.Source("ovs", "")
	for name, over := range map[string]bool{"other": true, "default": false} {
		m, ev := composed.Text(t, fmt.Sprintf("%sproject \"p\" {\nquota = { security_groups = 1 }\n}\nsecurity_group %q {\nproject = project.p\n}\n", complete, name))
		_, diags := compose.Compose(m, ev, compose.Facts{OpenStackGiven: true})
		warned := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == "compose.quota" })
		if warned != over {
			t.Errorf("of a group %q alone: warned %t, want %t: %v", name, warned, over, diags)
		}
	}
}

// TestQuotasOfManyProjects: what is looked for in each of many projects is not looked for among the resources of all. Of four times as
// many, which took 11 times as long then, the best of some rounds counts, in processor time.
func TestQuotasOfManyProjects(t *testing.T) {
	takes := func(projects int) time.Duration {
		var text strings.Builder
		text.WriteString(composed.Source("ovs", ""))
		for i := range projects {
			fmt.Fprintf(&text, "project \"p%d\" {\nquota = { security_groups = 5 }\n}\nsecurity_group \"s%d\" {\nproject = project.p%d\n}\n", i, i, i)
		}
		m, ev := composed.Text(t, text.String())
		least := time.Hour
		for range 3 {
			began := processorTime(t)
			compose.Compose(m, ev, compose.Facts{OpenStackGiven: true})
			least = min(least, processorTime(t)-began)
		}
		return least
	}
	if few, many := takes(250), takes(1000); many > 8*few {
		t.Errorf("250 projects take %v, and 1000 take %v", few, many)
	}
}
