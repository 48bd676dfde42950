package openstack_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// struggle takes steps in spite of errors until nothing is left to do.
func (b *bench) struggle(t *testing.T, tg unit.Target) (failures int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		st, diff := b.compare(t, tg)
		if diff.Action == unit.ActionNone {
			return failures
		}
		if _, err := b.Apply(ctx, tg, wantedOf(tg), st); err != nil {
			failures++
		}
	}
	t.Fatal(ctx.Err())
	return failures
}

// changes selects requests that change something.
func changes(r *http.Request) bool { return r.Method != http.MethodGet }

func TestBedPartsAreNotMadeTwice(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	subnet := target(t, "subnet", unique("sub"), values{"network": text(network.ID), "cidr": text("10.4.0.0/24")})
	b.converge(t, &subnet)
	router := target(t, "router", unique("router"), values{})
	b.converge(t, &router)
	group := target(t, "security_group", unique("group"), values{})
	b.converge(t, &group)
	for _, path := range []string{"/v2.0/ports", "/v2.0/routers/{id}/add_router_interface", "/v2.0/security-group-rules"} {
		b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Path: path, Request: changes}, Action: faultproxy.ResetAfter(), Limit: 1})
	}
	before := b.fleet.Counts()
	router = with(t, router, values{"subnets": list(subnet.ID)})
	if n := b.struggle(t, router); n != 2 {
		t.Errorf("%d attempts failed, want 2", n)
	}
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	group = with(t, group, values{"rule": cty.ListVal([]cty.Value{ruleValue(80, "web")})})
	if n := b.struggle(t, group); n != 1 {
		t.Errorf("%d attempts failed, want 1", n)
	}
	b.settled(t, group, "/v2.0/security-groups")
	counts := b.fleet.Counts().Since(before)
	if ports, rules := counts.Of("POST", "/v2.0/ports"), counts.Of("POST", "/v2.0/security-group-rules"); ports != 1 || rules != 1 {
		t.Errorf("%d ports and %d rules were made, want one of each", ports, rules)
	}
}

func TestBedInstanceThatNoHostCanRun(t *testing.T) {
	b := newBench(t)
	flavor := target(t, "flavor", unique("huge"), values{"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(1 << 30), "disk": cty.NumberIntVal(1)})
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<10)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	server := target(t, "instance", unique("vm"), values{"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String)})
	st, err := b.Apply(t.Context(), server, wantedOf(server), unit.State{Existence: unit.Absent})
	if err != nil {
		t.Fatal(err)
	}
	server.ID, server.Fresh = st.ID, false
	b.remove(t, server)
	for st.Health == unit.HealthProgressing {
		if st.After == 0 {
			t.Error("nobody is told when to look again")
		}
		pause(t.Context(), t)
		st = b.see(t, server)
	}
	if st.Health != unit.HealthFailed || st.Message == "" {
		t.Errorf("the state is %+v", st)
	}
	if diff := b.Compare(server, wantedOf(server), st); diff.Action != unit.ActionNone {
		t.Errorf("the diff is %+v", diff)
	}
}
