package openstack_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestBedPortsHaveAddresses: a port that names no subnet has an address of each version of IP of its network, though nothing
// but the network is written in it, and however long it takes until the subnets are there. One of them that is taken out goes
// while the port stays.
func TestBedPortsHaveAddresses(t *testing.T) {
	x := newInstallation(t, "addressed")
	units := func(source string) []unit.Unit {
		m, ev := composed.Text(t, "cloud \"c\" {\n  openstack { cloud = \"prod\" }\n}\n"+strings.ReplaceAll(source, "PREFIX", x.prefix))
		var all []unit.Unit
		for _, u := range composed.Compose(t, m, ev, compose.Facts{}) {
			if u.Class == unit.ClassResource {
				all = append(all, u)
			}
		}
		return all
	}
	const pool = `
subnet_pool "p" {
  name     = "PREFIX-p"
  prefixes = ["10.24.0.0/16"]
}
`
	inside := func(four ...string) string {
		source := pool + `
network "n" { name = "PREFIX-n" }
port "p" {
  name    = "PREFIX-port"
  network = network.n
}
`
		for _, name := range four {
			source += strings.ReplaceAll(`
subnet "NAME" {
  name          = "PREFIX-NAME"
  network       = network.n
  subnet_pool   = subnet_pool.p
  prefix_length = 24
}
`, "NAME", name)
		}
		return source + fmt.Sprintf(`
subnet "six" {
  name       = "PREFIX-six"
  network    = network.n
  cidr       = "2001:db8:24::/64"
  depends_on = [subnet.%s]
}
`, four[0])
	}
	pass := func(units []unit.Unit) []any {
		t.Helper()
		if err := x.settleUnits(t.Context(), units); err != nil {
			t.Fatal(err)
		}
		ports := objectsOf(request(t, "network", http.MethodGet, "v2.0/ports?name="+x.prefix+"-port", nil)["ports"])
		if len(ports) != 1 {
			t.Fatalf("there are %d ports", len(ports))
		}
		addresses, _ := ports[0]["fixed_ips"].([]any)
		return addresses
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := x.settleUnits(ctx, units(pool)); err != nil {
			t.Error(err)
		}
		left, err := ask(ctx, t, "network", http.MethodGet, "v2.0/subnetpools?name="+x.prefix+"-p", nil)
		for _, one := range objectsOf(left["subnetpools"]) {
			_, err = ask(ctx, t, "network", http.MethodDelete, fmt.Sprintf("v2.0/subnetpools/%v", one["id"]), nil)
		}
		if err != nil {
			t.Error(err)
		}
	})
	has := pass(units(inside("one", "other")))
	if len(has) != 2 {
		t.Errorf("the port has the addresses %v, want one of each version", has)
	}
	used := "one" // of which of the two its address is, Neutron decides
	other := objectsOf(request(t, "network", http.MethodGet, "v2.0/subnets?name="+x.prefix+"-other", nil)["subnets"])
	for _, address := range has {
		if len(other) == 1 && address.(map[string]any)["subnet_id"] == other[0]["id"] {
			used = "other"
		}
	}
	if has := pass(units(inside(used))); len(has) != 2 {
		t.Errorf("without the subnet that it has no address of the port has the addresses %v", has)
	}
}
