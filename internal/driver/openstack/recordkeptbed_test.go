package openstack_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestBedInstanceGoesToANewNetwork: an instance leaves a network for one that the same commit makes, so that for a while nobody
// knows where it is to be. It ends with one interface, and is not taken for ready with both.
func TestBedInstanceGoesToANewNetwork(t *testing.T) {
	t.Parallel()
	x := newInstallation(t, "changes")
	image := made(t, x.bench, "image", bootable(t, x.bench))
	units := func(source string) []unit.Unit {
		m, ev := composed.Text(t, "cloud \"c\" {\n  openstack { cloud = \"prod\" }\n}\n"+strings.NewReplacer("PREFIX", x.prefix, "IMAGE", image).Replace(source))
		var all []unit.Unit
		for _, u := range composed.Compose(t, m, ev, compose.Facts{}) {
			if u.Class == unit.ClassResource {
				all = append(all, u)
			}
		}
		return all
	}
	network := func(name, addresses string) string {
		return strings.NewReplacer("NAME", name, "ADDRESSES", addresses).Replace(`
network "NAME" { name = "PREFIX-NAME" }
subnet "NAME" {
  name    = "PREFIX-NAME"
  network = network.NAME
  cidr    = "ADDRESSES"
}
`)
	}
	instance := func(network string) string {
		return strings.ReplaceAll(`
flavor "f" {
  name  = "PREFIX"
  vcpus = 1
  ram   = 64
  disk  = 1
}
instance "i" {
  name       = "PREFIX-i"
  image      = "IMAGE"
  flavor     = flavor.f
  networks   = [network.NAME]
  depends_on = [subnet.NAME]
  lifecycle { replace = true }
}
`, "NAME", network)
	}
	a, b := network("a", "10.46.0.0/24"), network("b", "10.47.0.0/24")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := x.settleUnits(ctx, units(`network "a" { name = "PREFIX-a" }`)); err != nil {
			t.Error(err)
		}
		left, err := ask(ctx, t, "network", http.MethodGet, "v2.0/networks?name="+x.prefix+"-a", nil)
		for _, one := range objectsOf(left["networks"]) {
			_, err = ask(ctx, t, "network", http.MethodDelete, "v2.0/networks/"+one["id"].(string), nil)
		}
		if err != nil {
			t.Error(err)
		}
	})
	for _, step := range []struct{ source, network string }{{a + instance("a"), "a"}, {a + b + instance("b"), "b"}} {
		if err := x.settleUnits(t.Context(), units(step.source)); err != nil {
			t.Fatalf("into %s: %v", step.network, err)
		}
		servers := objectsOf(request(t, "compute", http.MethodGet, "servers?name="+x.prefix+"-i", nil)["servers"])
		if len(servers) != 1 {
			t.Fatalf("there are %d instances", len(servers))
		}
		ports := objectsOf(request(t, "network", http.MethodGet, "v2.0/ports?device_id="+servers[0]["id"].(string), nil)["ports"])
		if len(ports) != 1 {
			t.Errorf("in %s it has %d interfaces", step.network, len(ports))
		}
	}
}
