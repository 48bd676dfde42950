package openstack_test

import (
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedHealing has a real Nova's instances fail and stop, and shows what each remedy asks of it.
func TestBedHealing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	keeper := newKeeper(t, b.Driver)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	flavor := smallFlavor(t)
	b.converge(t, &image)
	b.converge(t, &flavor)
	server := target(t, "instance", unique("vm"), values{
		"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String), "heal": text("restart"), "running": cty.False,
	})
	compute := computeClient(t)
	status := func(want string) {
		t.Helper()
		if st := b.see(t, server); st.Outputs.GetAttr("running").RawEquals(cty.True) != (want == "runs") {
			t.Errorf("the instance is %#v", st.Outputs.GetAttr("running"))
		}
	}
	actions := func() int { return b.fleet.Counts().Of("POST", "/v2.1/servers/{id}/action") }

	keeper.converge(t, server)
	server = keeper.recorded(t, server)
	b.remove(t, server)
	status("is off")
	server = with(t, server, values{"running": cty.True})
	keeper.converge(t, server)
	status("runs")

	if err := servers.Stop(t.Context(), compute, server.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	until(t, b, server, func(st unit.State) bool { return st.Outputs.GetAttr("running").RawEquals(cty.False) })
	keeper.converge(t, server)
	status("runs")
	for _, remedy := range []string{"restart", "rebuild", "recreate"} {
		server = with(t, server, values{"heal": text(remedy), "tags": set(remedy)}) // another input: attempts count anew
		keeper.converge(t, server)
		server = keeper.recorded(t, server)
		was, before := server.ID, actions()
		if err := servers.ResetState(t.Context(), compute, server.ID, servers.StateError).ExtractErr(); err != nil {
			t.Fatal(err)
		}
		all := keeper.converge(t, server)
		server = keeper.recorded(t, server)
		b.remove(t, server)
		if (server.ID == was) == (remedy == "recreate") {
			t.Errorf("%s: the instance was %s and is %s", remedy, was, server.ID)
		}
		if n := actions() - before; n != map[bool]int{true: 0, false: 1}[remedy == "recreate"] {
			t.Errorf("%s: %d actions were asked for", remedy, n)
		}
		if details := strings.Join(all[0].Details, " "); all[0].Drift || !strings.Contains(details, "attempt 1 of 3") {
			t.Errorf("%s: %q, drift %t", remedy, details, all[0].Drift)
		}
		status("runs")
	}
}

// until waits for what the real servers do by themselves.
func until(t *testing.T, b *bench, target unit.Target, is func(unit.State) bool) {
	t.Helper()
	for !is(b.see(t, target)) {
		pause(t.Context(), t)
	}
}
