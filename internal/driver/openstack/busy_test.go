package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBusyObjectsWait: what takes no requests for now still has the changes that it lacks, which say what they
// wait for; and what is not all there yet is not put on record as it is wanted.
func TestBusyObjectsWait(t *testing.T) {
	d := testDriver(t)
	server := func(status, task, mark string) map[string]any {
		return map[string]any{
			"id": "x1", "name": "web", "status": status, keyTask: task, keyUserData: "c2VjcmV0",
			"metadata": map[string]any{markKey: mark, "tier": "web"},
		}
	}
	image := map[string]any{"id": "x1", "name": "web", "status": "saving", markKey: testMark, "tier": "web"}
	tier := func(value string) cty.Value { return cty.MapVal(map[string]cty.Value{"tier": cty.StringVal(value)}) }
	for _, test := range []struct {
		name, kind string
		raw        map[string]any
		foreign    bool
		written    map[string]cty.Value
		action     unit.Action
		waits      string // "" when it does not
		health     unit.Health
		partial    bool
	}{
		{name: "a task, and nothing to change", kind: "instance", raw: server("ACTIVE", "image_snapshot", testMark), written: map[string]cty.Value{"metadata": tier("web")}, action: unit.ActionNone, health: unit.HealthReady},
		{name: "a task", kind: "instance", raw: server("ACTIVE", "image_snapshot", testMark), written: map[string]cty.Value{"metadata": tier("db")}, action: unit.ActionUpdate, waits: "task image_snapshot", health: unit.HealthReady},
		{name: "no task", kind: "instance", raw: server("ACTIVE", "", testMark), written: map[string]cty.Value{"metadata": tier("db")}, action: unit.ActionUpdate, health: unit.HealthReady},
		{name: "a state on the way", kind: "instance", raw: server("REBOOT", "rebooting", testMark), written: map[string]cty.Value{"metadata": tier("db")}, action: unit.ActionUpdate, waits: "state REBOOT", health: unit.HealthProgressing},
		{name: "what replaces it", kind: "instance", raw: server("REBOOT", "rebooting", testMark), written: map[string]cty.Value{"user_data": cty.StringVal("other")}, action: unit.ActionReplace, waits: "state REBOOT", health: unit.HealthProgressing},
		{name: "being built", kind: "instance", raw: server("BUILD", "spawning", testMark), written: map[string]cty.Value{"metadata": tier("db")}, action: unit.ActionUpdate, waits: "state BUILD", health: unit.HealthProgressing, partial: true},
		{name: "being built as it is wanted", kind: "instance", raw: server("BUILD", "spawning", testMark), written: map[string]cty.Value{"metadata": tier("web")}, action: unit.ActionNone, health: unit.HealthProgressing, partial: true},
		{name: "being deleted", kind: "instance", raw: server("ACTIVE", "deleting", testMark), written: map[string]cty.Value{"metadata": tier("db")}, action: unit.ActionNone, health: unit.HealthProgressing, partial: true},
		{name: "failed with a task", kind: "instance", raw: server("ERROR", "rebuilding", testMark), written: map[string]cty.Value{"user_data": cty.StringVal("other")}, action: unit.ActionReplace, health: unit.HealthFailed},
		{name: "its mark is missing", kind: "instance", raw: server("REBOOT", "rebooting", ""), action: unit.ActionUpdate, waits: "state REBOOT", health: unit.HealthProgressing},
		{name: "nobody's", kind: "instance", raw: server("REBOOT", "rebooting", ""), foreign: true, action: unit.ActionAdopt, waits: "state REBOOT", health: unit.HealthProgressing},
		{name: "bytes on the way", kind: "image", raw: image, written: map[string]cty.Value{"properties": tier("db")}, action: unit.ActionUpdate, waits: "being uploaded", health: unit.HealthProgressing},
		{name: "bytes on the way, and nothing to change", kind: "image", raw: image, written: map[string]cty.Value{"properties": tier("web")}, action: unit.ActionNone, health: unit.HealthProgressing},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := wantValue(test.kind, test.written)
			tg := testTarget(t, test.kind, want)
			o := d.kinds[test.kind].(interface{ read(map[string]any) *object }).read(test.raw)
			st := state(tg, match{object: o, owned: !test.foreign})
			diff := d.Compare(tg, want, st)
			if diff.Action != test.action || diff.Waits != (test.waits != "") || !strings.Contains(diff.Reason, test.waits) {
				t.Errorf("the diff is %+v", diff)
			}
			if st.Health != test.health || st.Installed == test.partial {
				t.Errorf("the state is %+v", st)
			}
		})
	}
}

// TestPutAwayInstances: what Nova refuses of them for now is held back, and the rest is not.
func TestPutAwayInstances(t *testing.T) {
	d := testDriver(t)
	other := map[string]cty.Value{"metadata": cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("db")})}
	renamed := map[string]cty.Value{"name": cty.StringVal("shop"), "metadata": other["metadata"]}
	for _, test := range []struct {
		status  string
		written map[string]cty.Value
		action  unit.Action
		reason  string
	}{
		{"ACTIVE", other, unit.ActionUpdate, ""},
		{"SHELVED", other, unit.ActionBlocked, "unshelve it"},
		{"SHELVED_OFFLOADED", other, unit.ActionBlocked, "unshelve it"},
		{"RESCUE", other, unit.ActionBlocked, "unrescue it"},
		{"RESCUE", renamed, unit.ActionUpdate, "without metadata: "},
		{"RESCUE", map[string]cty.Value{"name": cty.StringVal("shop")}, unit.ActionUpdate, ""},
	} {
		want := wantValue("instance", test.written)
		tg := testTarget(t, "instance", want)
		o := d.kinds["instance"].(instanceKind).read(map[string]any{
			"id": "x1", "name": "web", "status": test.status, "metadata": map[string]any{markKey: testMark, "tier": "web"},
		})
		if diff := d.Compare(tg, want, state(tg, match{object: o, owned: true})); diff.Action != test.action || !strings.Contains(diff.Reason, test.reason) {
			t.Errorf("%s: %+v", test.status, diff)
		}
	}
}

// TestPortsOfAnInstanceBeingBuilt: they come one by one, and those that are missing yet are no difference.
func TestPortsOfAnInstanceBeingBuilt(t *testing.T) {
	d := testDriver(t)
	want := wantValue("instance", map[string]cty.Value{"networks": texts3("n1", "n2")})
	tg := testTarget(t, "instance", want)
	for status, action := range map[string]unit.Action{"BUILD": unit.ActionNone, "ACTIVE": unit.ActionUpdate} {
		k := d.kinds["instance"].(instanceKind)
		o := k.read(map[string]any{"id": "x1", "name": "web", "status": status, "metadata": map[string]any{markKey: testMark}})
		k.join(found{object: o, want: want}, []map[string]any{{"id": "p1", "device_owner": "compute:nova", "network_id": "n1"}})
		if diff := d.Compare(tg, want, state(tg, match{object: o, owned: true})); diff.Action != action {
			t.Errorf("%s: %+v", status, diff)
		}
	}
}
