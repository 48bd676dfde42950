package openstack_test

import (
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

const serverAction = "/v2.1/servers/{id}/action"

// sized makes a flavor with so much memory.
func sized(t *testing.T, b *bench, ram int64) cty.Value {
	t.Helper()
	return text(made(t, b, "flavor", values{"vcpus": number(1), "ram": number(ram), "disk": number(1)}))
}

// TestBedResize has a real Nova resize instances: as the block changes, cut off at each step, against what others do,
// and without room for it.
func TestBedResize(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	compute := computeClient(t)
	url, checksum := b.disk(t, 1<<10)
	image := made(t, b, "image", values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	small, large, huge := sized(t, b, 64), sized(t, b, 128), sized(t, b, 1<<30)
	server := target(t, "instance", unique("vm"), values{
		"image": text(image), "flavor": small, "networks": cty.ListValEmpty(cty.String), "metadata": texted("tier", "web"),
	})
	b.converge(t, &server)
	id := server.ID
	becomes := func(what string, written values, actions int) {
		t.Helper()
		server = with(t, server, written)
		before := b.fleet.Counts()
		b.struggle(t, server)
		b.converge(t, &server)
		if n := b.fleet.Counts().Since(before).Of("POST", serverAction); n != actions {
			t.Errorf("%s: %d actions were asked for, want %d", what, n, actions)
		}
		b.settled(t, server, "/v2.1/servers/detail", "/v2.0/ports")
		noted, err := servers.Metadata(t.Context(), compute, id).Extract()
		if _, left := noted["kupenstack_resize"]; err != nil || left || noted["tier"] != "web" {
			t.Errorf("%s: the metadata are %v, %v", what, noted, err)
		}
	}

	if _, diff := b.compare(t, with(t, server, values{"flavor": large})); diff.Action != unit.ActionUpdate || !strings.Contains(diff.Cost, "restarts it") {
		t.Errorf("another flavor: %+v", diff)
	}
	becomes("another flavor", values{"flavor": large}, 2)
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: serverAction}, Action: faultproxy.ResetBefore(), Limit: 1})
	becomes("what was noted and not asked for", values{"flavor": small}, 3)
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: serverAction}, Action: faultproxy.ResetAfter(), Limit: 1})
	becomes("a lost answer", values{"flavor": large}, 2)
	becomes("one that is stopped as well", values{"flavor": small, "running": cty.False}, 3)
	becomes("one that stays stopped", values{"flavor": large}, 2)
	becomes("one that is started as well", values{"flavor": small, "running": cty.True}, 3)

	theirs := func(flavor cty.Value) {
		t.Helper()
		if err := servers.Resize(t.Context(), compute, id, servers.ResizeOpts{FlavorRef: flavor.AsString()}).ExtractErr(); err != nil {
			t.Fatal(err)
		}
		for {
			st, diff := b.compare(t, server)
			if diff.Action == unit.ActionBlocked && !diff.Waits && strings.Contains(diff.Reason, "somebody else has resized it") && st.Ready() {
				return
			}
			pause(t.Context(), t)
		}
	}
	theirs(large)
	if err := servers.RevertResize(t.Context(), compute, id).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	becomes("what they have reverted", values{}, 0)
	theirs(large)
	if err := servers.ConfirmResize(t.Context(), compute, id).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	becomes("what they have confirmed", values{}, 2)

	hopeless := with(t, server, values{"flavor": huge})
	st, diff := b.compare(t, hopeless)
	if _, err := b.Apply(t.Context(), hopeless, wantedOf(hopeless), st); err != nil || diff.Heals {
		t.Fatalf("the first attempt: %+v, %v", diff, err)
	}
	for st, diff = b.compare(t, hopeless); !diff.Heals; st, diff = b.compare(t, hopeless) {
		pause(t.Context(), t)
	}
	if !strings.Contains(diff.Reason, "No valid host") || diff.Action != unit.ActionUpdate || !st.Owned {
		t.Errorf("without room: %+v", diff)
	}
	becomes("back to what it was", values{}, 0)
	if server.ID != id {
		t.Errorf("the instance was %s and is %s", id, server.ID)
	}
}
