package compose_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const tested = `
  smoke_test {
    image   = data.image.cirros
    flavor  = data.flavor.small
    network = "d32019d3-bc6e-4319-9c1d-6722fc136a22"
  }
`

const testedWith = `
data "image" "cirros" { name = "cirros" }
data "flavor" "small" { name = "small" }
`

func testOf(t *testing.T, units map[string]unit.Unit) *unit.SmokeTest {
	t.Helper()
	spec, ok := units["system.smoke_test"].Spec.(*unit.SmokeTest)
	if !ok {
		t.Fatal("there is no test")
	}
	return spec
}

func TestSmokeTestWaitsForAllServices(t *testing.T) {
	if _, has := composed.Everything(t, "ovs", "", "", "")["system.smoke_test"]; has {
		t.Error("there is a test that nobody asked for")
	}
	units := composed.Everything(t, "ovs", "lvm", testedWith, tested)
	u := units["system.smoke_test"]
	for address, other := range units {
		waits := slices.ContainsFunc(u.Edges, func(e unit.Edge) bool {
			return e.To.String() == address && e.Until == unit.Ready && e.Gate == unit.GateStart
		})
		wanted := other.Class == unit.ClassService || other.Class == unit.ClassInfrastructure || address == "system.account" ||
			address == "data.image.cirros" || address == "data.flavor.small"
		if waits != wanted {
			t.Errorf("it waits for %s: %t", address, waits)
		}
		if slices.ContainsFunc(other.Edges, func(e unit.Edge) bool { return e.To == u.Address }) {
			t.Errorf("%s waits for the test", address)
		}
	}
	spec := testOf(t, units)
	if spec.Volume == nil || !*spec.Volume {
		t.Error("it does without the volume that Cinder could make")
	}
	desired := spec.Desired(nil)
	if desired.GetAttr("image").IsKnown() || desired.GetAttr("network").AsString() != "d32019d3-bc6e-4319-9c1d-6722fc136a22" || !desired.GetAttr("project").IsNull() {
		t.Errorf("it is made from %#v", desired)
	}
}

// A port has no address in a network without a subnet, so the test waits for those of its network, and for no others.
func TestSmokeTestWaitsForSubnets(t *testing.T) {
	const networks = `
network "a" {}
network "b" {}
subnet "first" {
  network = network.a
  cidr    = "192.0.1.0/28"
}
subnet "more" {
  for_each = toset(["2", "3"])
  name     = "more-${each.key}"
  network  = network.a
  cidr     = "192.0.${each.key}.0/24"
}
subnet "other" {
  network = network.b
  cidr    = "198.51.100.0/28"
}
`
	with := strings.Replace(tested, `"d32019d3-bc6e-4319-9c1d-6722fc136a22"`, "network.a", 1)
	for block, want := range map[string][]string{tested: nil, with: {"subnet.first", `subnet.more["2"]`, `subnet.more["3"]`}} {
		var waits []string
		for _, e := range composed.Everything(t, "ovs", "lvm", testedWith+networks, block)["system.smoke_test"].Edges {
			if e.To.Kind() == "subnet" && e.Until == unit.Ready && e.Gate == unit.GateStart {
				waits = append(waits, e.To.String())
			}
		}
		if !slices.Equal(waits, want) {
			t.Errorf("it waits for %q, want %q", waits, want)
		}
	}
}

func TestSmokeTestChangesWithTheReleases(t *testing.T) {
	digest := func(network, added string, blocks ...string) string {
		return testOf(t, composed.Everything(t, network, "lvm", testedWith+added, blocks...)).Digest()
	}
	first := digest("ovs", "", tested)
	if digest("ovs", "network \"other\" {}\n", tested) != first {
		t.Error("another resource makes another cloud of it")
	}
	if digest("ovs", "", strings.Replace(tested, "smoke_test {", "smoke_test {\n retry = \"again\"", 1)) == first {
		t.Error("asked for once more it is the same")
	}
	if digest("ovs", "", tested, physicalNetworks) == first {
		t.Error("with other values of a release it is the same")
	}
}

// The digest of a release has nothing of the files of a chart that lies beside the configuration.
func TestSmokeTestChangesWithTheFilesOfCharts(t *testing.T) {
	with := func(repository, files string) string {
		m, ev := composed.Text(t, `cloud "c" {
  release = "2026.1"
  charts { repository = "`+repository+`" }
  openstack { cloud = "c" }
  service "memcached" {}`+tested+"}\n"+testedWith)
		units, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true, Tree: fstest.MapFS{}, ChartFiles: func(chart unit.Chart) string { return chart.Name + files }})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for _, u := range units {
			if spec, is := u.Spec.(*unit.SmokeTest); is {
				return spec.Digest()
			}
		}
		t.Fatal("there is no test")
		return ""
	}
	const beside, elsewhere = "charts", "https://charts.example.org"
	first := with(beside, "1")
	if with(beside, "1") != first {
		t.Error("with the same files it is another one")
	}
	if with(beside, "2") == first {
		t.Error("with other files of a chart it is the same")
	}
	if with(elsewhere, "1") != with(elsewhere, "2") {
		t.Error("files that are locked are asked for")
	}
}

func TestSmokeTestNeedsItsServices(t *testing.T) {
	for hcl, want := range map[string]string{
		`cloud "c" {
			release = "2026.1"
			charts { repository = "charts" }
			service "memcached" {}` + tested + "}\n" + testedWith: "the cloud has a smoke_test, but neither",
		"cloud \"c\" {\n openstack { cloud = \"c\" }" + tested + "}\n" + testedWith: "",
		`cloud "c" {
			release = "2026.1"
			charts { repository = "charts" }
			service "mariadb" {}
			service "rabbitmq" {}
			service "memcached" {}
			service "keystone" {}` + tested + "}\n" + testedWith: "the smoke_test needs nova, neutron, glance",
	} {
		m, ev := composed.Text(t, hcl)
		units, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
		if want == "" {
			if diags.HasErrors() || !slices.ContainsFunc(units, func(u unit.Unit) bool {
				spec, is := u.Spec.(*unit.SmokeTest)
				return is && spec.Volume == nil
			}) {
				t.Errorf("a cloud of somebody else: %v", diags)
			}
			continue
		}
		if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return strings.Contains(d.Detail, want) }) {
			t.Errorf("got %v, want %q", diags, want)
		}
	}
}
