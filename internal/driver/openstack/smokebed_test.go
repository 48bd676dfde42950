package openstack_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// newBedTest is a test on the real services, with what it is made from.
func newBedTest(t *testing.T) (*tested, *bench) {
	t.Helper()
	b := newBench(t)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	subnet := target(t, "subnet", unique("sub"), values{"network": text(network.ID), "cidr": text("10.9.0.0/24")})
	b.converge(t, &subnet)
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{
		"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare"),
	})
	b.converge(t, &image)
	spec := &unit.SmokeTest{
		ControlPlane: "one", Choices: map[string]unit.Choice{"image": {ID: image.ID}, "flavor": {ID: flavor.ID}, "network": {ID: network.ID}},
	}
	x := &tested{Driver: b.Driver, want: spec.Desired(nil), target: unit.Target{
		Address: addr.MustParseObject("system.smoke_test"), Spec: spec, Locator: spec.Locator(), UID: rand.Text(), Mark: "kupenstack:" + strings.ToLower(rand.Text()[:16]),
	}}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		x.target.Spec = nil
		if err := b.destroy(ctx, t, x.target); err != nil {
			t.Errorf("clean up the test: %v", err)
		}
	})
	return x, b
}

// until takes steps until nothing is left to do.
func (x *tested) until(t *testing.T, done func(unit.State) bool) unit.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		st, diff := x.look(t)
		switch {
		case done(st):
			return st
		case diff.Action == unit.ActionNone || diff.Waits:
			pause(ctx, t)
		default:
			after, err := x.Apply(ctx, x.target, x.want, st)
			if err != nil {
				t.Logf("%s: %v", diff.Reason, err)
				pause(ctx, t)
				continue
			}
			x.target.Run = after.Run
		}
	}
}

func volumeClient(t *testing.T) *gophercloud.ServiceClient {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(t.Context())
	must(t, err)
	client, err := gopher.NewBlockStorageV3(provider, gophercloud.EndpointOpts{Region: cloud.Region})
	must(t, err)
	return client
}

// marked counts what bears the mark of the test.
func marked(t *testing.T, x *tested) int {
	t.Helper()
	n := 0
	pages, err := servers.List(computeClient(t), servers.ListOpts{}).AllPages(t.Context())
	must(t, err)
	all, err := servers.ExtractServers(pages)
	must(t, err)
	for i := range all {
		if all[i].Metadata["kupenstack_mark"] == x.target.Mark {
			n++
		}
	}
	pages, err = volumes.List(volumeClient(t), volumes.ListOpts{}).AllPages(t.Context())
	must(t, err)
	list, err := volumes.ExtractVolumes(pages)
	must(t, err)
	for i := range list {
		if list[i].Metadata["kupenstack_mark"] == x.target.Mark {
			n++
		}
	}
	return n
}

func TestBedSmokeTest(t *testing.T) {
	t.Parallel()
	x, b := newBedTest(t)
	ready := func(st unit.State) bool {
		if st.Health == unit.HealthFailed {
			t.Fatalf("it failed: %s", st.Message)
		}
		return st.Ready()
	}
	before := b.fleet.Counts()
	x.until(t, ready)
	counts := b.fleet.Counts().Since(before)
	for path, want := range map[string]int{"/v2.1/servers": 1, "/v3/{id}/volumes": 1} {
		if n := counts.Of(http.MethodPost, path); n != want {
			t.Errorf("%d creating requests for %s, want %d:\n%v", n, path, want, counts)
		}
	}
	if n := marked(t, x); n != 0 {
		t.Errorf("%d objects are left", n)
	}
	before = b.fleet.Counts()
	if st, diff := x.look(t); !st.Ready() || diff.Action != unit.ActionNone || b.fleet.Counts().Since(before).Total() != 0 {
		t.Errorf("the second pass: %+v, %+v, %v", st, diff, b.fleet.Counts().Since(before))
	}
}

// Without a host that has room, the test fails with what Nova says, and takes away what it has made. With an answer that
// was lost it goes on.
func TestBedSmokeTestFails(t *testing.T) {
	x, b := newBedTest(t)
	huge := target(t, "flavor", unique("huge"), values{"vcpus": cty.NumberIntVal(4096), "ram": cty.NumberIntVal(64), "disk": cty.NumberIntVal(1)})
	b.converge(t, &huge)
	spec := *x.target.Spec.(*unit.SmokeTest)
	spec.Choices = map[string]unit.Choice{"image": spec.Choices["image"], "network": spec.Choices["network"], "flavor": {ID: huge.ID}}
	x.target.Spec, x.want = &spec, spec.Desired(nil)
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: "/v2.1/servers"}, Action: faultproxy.ResetAfter(), Limit: 1})
	before := b.fleet.Counts()
	st := x.until(t, func(st unit.State) bool { return st.Health == unit.HealthFailed })
	if !strings.Contains(st.Message, "No valid host") || !strings.Contains(st.Message, "(request id req-") || !strings.Contains(st.Message, "an instance is being started") {
		t.Errorf("it says %q", st.Message)
	}
	if n := b.fleet.Counts().Since(before).Of(http.MethodPost, "/v2.1/servers"); n != 1 {
		t.Errorf("%d creating requests", n)
	}
	if n := marked(t, x); n != 0 {
		t.Errorf("%d objects are left", n)
	}
}
