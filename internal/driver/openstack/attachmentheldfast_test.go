package openstack_test

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestVolumeThatNovaDoesNotDetach says of which instances a volume comes off only as they are deleted.
func TestVolumeThatNovaDoesNotDetach(t *testing.T) {
	for status, with := range map[string]string{"ERROR": "i1", "SUSPENDED": "i1", "RESCUE": "i1", "ACTIVE": ""} {
		d := answering(t, map[string]func(*http.Request) any{
			"/v3/p1": func(*http.Request) any { return map[string]any{} },
			"/v2.1/servers/i1": func(*http.Request) any {
				return map[string]any{"server": map[string]any{"id": "i1", "status": status}}
			},
			"/v2.1/servers/i1/os-volume_attachments/v1": func(*http.Request) any {
				return map[string]any{"volumeAttachment": map[string]any{"device": "/dev/vdb"}}
			},
			"DELETE /v2.1/servers/i1/os-volume_attachments/v1": func(*http.Request) any { return http.StatusConflict },
			"/v3/p1/volumes/v1": func(*http.Request) any {
				return map[string]any{"volume": map[string]any{"id": "v1", "status": "in-use"}}
			},
		})
		tg := known(t, "volume_attachment", "data", values{"instance": text("i1"), "volume": text("v1")})
		tg.ID = "i1/v1"
		_, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present})
		if got := unit.FollowsOf(err); err == nil || got != with {
			t.Errorf("%s: it goes with %q, want %q: %v", status, got, with, err)
		}
	}
}

// TestBedVolumeOfAFailedInstance has an instance fail of which Nova detaches no volume then: it is deleted all the same, and
// healed by another one that gets the volume.
func TestBedVolumeOfAFailedInstance(t *testing.T) {
	t.Parallel()
	b := newDiskBench(t)
	k := newKeeper(t, b.Driver)
	volume := target(t, "volume", unique("data"), values{"size": number(1)})
	server := b.instance(t, values{"heal": text("recreate")})
	attachment := target(t, "volume_attachment", unique("data"), values{"instance": text("later"), "volume": text("later")})
	follow(t, &attachment, server.Address, volume.Address)
	all := func() (units []unit.Unit) {
		edges := []unit.Edge{{To: server.Address, Until: unit.Ready, Gate: unit.GateStart}, {To: volume.Address, Until: unit.Ready, Gate: unit.GateStart}}
		return []unit.Unit{
			{Address: volume.Address, Spec: volume.Spec, Class: unit.ClassResource},
			{Address: server.Address, Spec: server.Spec, Class: unit.ClassResource, CreateFirst: true},
			{Address: attachment.Address, Spec: attachment.Spec, Class: unit.ClassResource, Edges: edges},
		}
	}
	fails := func(id string) {
		t.Helper()
		if err := servers.ResetState(t.Context(), b.compute, id, servers.StateError).ExtractErr(); err != nil {
			t.Fatal(err)
		}
	}

	convergeUnits(t, k, all()...)
	b.remove(t, k.recorded(t, volume))
	was := k.recorded(t, server).ID
	fails(was)
	convergeUnits(t, k, all()...)
	is := k.recorded(t, server).ID
	if there := attachedTo(t, is); is == was || len(there) != 1 || there[0] != k.recorded(t, volume).ID {
		t.Errorf("the instance was %s and is %s, and has %q", was, is, there)
	}
	b.ends(t, was)

	fails(is)
	convergeUnits(t, k, all()[:1]...)
	b.ends(t, is)
	if status := b.status(t, k.recorded(t, volume).ID); status != "available" {
		t.Errorf("the volume is %s", status)
	}
}

// ends expects that there is no instance.
func (b *diskBench) ends(t *testing.T, id string) {
	t.Helper()
	if err := servers.Get(t.Context(), b.compute, id).Err; err == nil {
		t.Errorf("the instance %s is still there", id)
	}
}

// follow has an attachment be of the instance and the volume that others make.
func follow(t *testing.T, attachment *unit.Target, server, volume addr.Object) {
	t.Helper()
	spec := *attachment.Spec.(*unit.Resource)
	written := spec.Desired.AsValueMap()
	written["instance"], written["volume"] = cty.UnknownVal(cty.String), cty.UnknownVal(cty.String)
	spec.Desired = cty.ObjectVal(written)
	spec.Resolve = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		late := maps.Clone(written)
		late["instance"], late["volume"] = unit.IDIn(outputs[server]), unit.IDIn(outputs[volume])
		return cty.ObjectVal(late), nil
	}
	attachment.Spec = &spec
}

// convergeUnits is [keeper.converge] for units that need each other. What is not among them is gone then.
func convergeUnits(t *testing.T, k *keeper, units ...unit.Unit) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	e := engine.New(engine.Options{
		Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: k.driver}, Inventory: k.inventory, Marker: k.marker,
	})
	r := &engine.Revision{ID: rand.Text(), Deployment: inventory.Deployment{Cloud: "demo"}, Units: units}
	if err := e.Converge(ctx, r, time.Second); err != nil {
		t.Fatal(err)
	}
	for _, u := range e.Snapshot().Units {
		if u.Phase != engine.PhaseReady && u.Phase != engine.PhaseGone {
			t.Fatalf("%s is %s: %s", u.Address, u.Phase, u.Reason)
		}
	}
}
