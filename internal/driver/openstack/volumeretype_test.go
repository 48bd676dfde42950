package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// TestBedRetype gives a volume another type: in place, also while an instance has it and after a lost answer; not to
// other storage unless that is written, and then once only when the data cannot be moved.
func TestBedRetype(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	types := map[string]string{}
	for name, specs := range map[string]cty.Value{
		"plain": texted("volume_backend_name", "fake1"), "fast": texted("volume_backend_name", "fake1", "vendor:disks", "ssd"), "away": texted("volume_backend_name", "fake2"),
	} {
		tg := target(t, "volume_type", unique(name), values{"extra_specs": specs})
		b.converge(t, &tg)
		types[name] = wantedOf(tg).GetAttr("name").AsString()
	}
	volume := target(t, "volume", unique("data"), values{"size": number(1), "type": text(types["plain"])})
	b.converge(t, &volume)
	actions := func() int { return b.fleet.Counts().Of("POST", "/v3/{id}/volumes/{id}/action") }
	id := volume.ID
	volume = with(t, volume, values{"type": text(types["fast"]), "size": number(2)})
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: "/v3/{id}/volumes/{id}/action"}, Action: faultproxy.ResetAfter(), Limit: 1})
	if _, err := b.Apply(t.Context(), volume, wantedOf(volume), b.see(t, volume)); err == nil {
		t.Error("the answer was lost, but there is no error")
	}
	b.converge(t, &volume)
	if volume.ID != id || actions() != 2 { // one grows it, one gives it the type
		t.Errorf("the volume is %s after %d actions, want %s and 2", volume.ID, actions(), id)
	}
	b.settled(t, volume, "/v3/{id}/volumes/detail")

	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<10)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	server := target(t, "instance", unique("vm"), values{"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String)})
	b.converge(t, &server)
	attachment := target(t, "volume_attachment", "data", values{"instance": text(server.ID), "volume": text(volume.ID)})
	b.converge(t, &attachment)
	volume = with(t, volume, values{"type": text(types["plain"])})
	b.converge(t, &volume)
	if err := b.destroy(t.Context(), t, attachment); err != nil {
		t.Fatal(err)
	}

	away := with(t, volume, values{"type": text(types["away"])})
	if why := b.refused(t, away); !strings.Contains(why, `migration_policy = "on-demand"`) {
		t.Errorf("another storage without a policy: %s", why)
	}
	away = with(t, away, values{"migration_policy": text("on-demand")})
	t.Logf("the storage of the bed cannot move data: %s", b.refused(t, away))
	before := actions()
	if why := b.refused(t, away); !strings.Contains(why, "reset the migration status") {
		t.Errorf("after a move that failed: %s", why)
	}
	if n := actions(); n != before {
		t.Errorf("%d more actions", n-before)
	}
	send(t, "volumev3", http.MethodPost, "volumes/"+volume.ID+"/action", map[string]any{"os-reset_status": map[string]any{"migration_status": "none"}})
	if _, diff := b.compare(t, away); diff.Action != unit.ActionUpdate {
		t.Errorf("its migration status was reset, but the diff is %+v", diff)
	}
	volume = with(t, volume, values{"migration_policy": text("never")})
	b.settled(t, volume, "/v3/{id}/volumes/detail")
}

// refused takes steps until one is refused, and returns why.
func (b *bench) refused(t *testing.T, target unit.Target) string {
	t.Helper()
	for {
		st, diff := b.compare(t, target)
		switch {
		case diff.Action == unit.ActionBlocked:
			return diff.Reason
		case diff.Action == unit.ActionNone:
			t.Fatal("it was not refused")
		case diff.Waits:
			pause(t.Context(), t)
		default:
			if _, err := b.Apply(t.Context(), target, wantedOf(target), st); unit.IsBlocked(err) {
				return err.Error()
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestMovesOfVolumes: what Cinder makes to move a volume is no volume of ours, though it bears the same mark, and a
// volume that gets another type takes no request meanwhile.
func TestMovesOfVolumes(t *testing.T) {
	tg := target(t, "volume", "data", values{"size": number(1), "type": text("fast"), "project": text("p1")})
	volume := func(id, status, migration string) map[string]any {
		return map[string]any{
			"id": idOf(id), "name": "data", "status": status, "size": 1, "volume_type": "slow", "os-vol-tenant-attr:tenant_id": "p1",
			"metadata": map[string]any{"kupenstack_mark": tg.Mark}, "os-vol-mig-status-attr:migstat": migration,
		}
	}
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/p1": listed("nothing"),
		"/v3/p1/volumes/detail": listed("volumes",
			volume("1", "retyping", "migrating"), volume("2", "creating", "target:"+idOf("1")), volume("3", "deleting", "deleting")),
	})
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	st := states[tg.Address]
	if diff := d.Compare(tg, wantedOf(tg), st); st.ID != idOf("1") || diff.Action != unit.ActionUpdate || !diff.Waits {
		t.Errorf("the diff is %+v, the state %+v", diff, st)
	}
}
