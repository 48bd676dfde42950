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

// TestBedRouterAndFloatingIPMove: in one commit a router leaves a subnet for another one, and a floating IP that leads through it
// follows from a port here to a port there. Neutron lets neither the router go first, nor the floating IP.
func TestBedRouterAndFloatingIPMove(t *testing.T) {
	t.Parallel()
	x := newInstallation(t, "both")
	const outside = `
network "out" {
  name     = "PREFIX-out"
  external = true
}
`
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
	at := func(place, waits string) []unit.Unit {
		return units(outside + strings.NewReplacer("PLACE", place, "WAITS", waits).Replace(`
subnet "out" {
  name    = "PREFIX-out"
  network = network.out
  cidr    = "198.51.100.0/24"
}
network "n" {
  for_each = toset(["a", "b"])
  name     = "PREFIX-${each.key}"
}
subnet "s" {
  for_each = { a = "10.44.0.0/24", b = "10.45.0.0/24" }
  name     = "PREFIX-${each.key}"
  network  = network.n[each.key]
  cidr     = each.value
}
port "p" {
  for_each   = toset(["a", "b"])
  name       = "PREFIX-${each.key}"
  network    = network.n[each.key]
  fixed_ip { subnet = subnet.s[each.key] }
}
router "r" {
  name             = "PREFIX-r"
  external_network = network.out
  subnets          = [subnet.s["PLACE"]]
  depends_on       = [subnet.out]
}
floating_ip "f" {
  floating_network = network.out
  port             = port.p["PLACE"]
  depends_on       = [WAITS]
}
`))
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := x.settleUnits(ctx, units(outside)); err != nil {
			t.Error(err)
		}
		left, err := ask(ctx, t, "network", http.MethodGet, "v2.0/networks?name="+x.prefix+"-out", nil)
		for _, one := range objectsOf(left["networks"]) {
			_, err = ask(ctx, t, "network", http.MethodDelete, fmt.Sprintf("v2.0/networks/%v", one["id"]), nil)
		}
		if err != nil {
			t.Error(err)
		}
	})
	for _, step := range []struct{ place, waits string }{{"a", "subnet.out"}, {"b", "subnet.out"}, {"a", "router.r"}} {
		if err := x.settleUnits(t.Context(), at(step.place, step.waits)); err != nil {
			t.Fatalf("to %s, after %s: %v", step.place, step.waits, err)
		}
	}
}
