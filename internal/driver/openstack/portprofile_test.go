package openstack

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What is no text in a binding profile can be written and stays when something else changes, and what Nova writes for the
// instance that has the port is neither compared nor written over.
func TestBindingProfile(t *testing.T) {
	const caps = `["switchdev"]`
	for _, test := range []struct {
		name, owner, there string
		want               map[string]cty.Value
		set                []string
		action             unit.Action
		sent               string
	}{
		{"a list", "", `{}`, map[string]cty.Value{"capabilities": cty.StringVal(caps)}, nil, unit.ActionUpdate, `{"capabilities":["switchdev"]}`},
		{"the same list", "", `{"capabilities":["switchdev"]}`, map[string]cty.Value{"capabilities": cty.StringVal(`[ "switchdev" ]`)}, nil, unit.ActionNone, ""},
		{"a text beside a list of others", "", `{"capabilities":["switchdev"],"trusted":true}`, map[string]cty.Value{"a": cty.StringVal("b")}, nil, unit.ActionUpdate, `{"a":"b","capabilities":["switchdev"],"trusted":true}`},
		{"a truth that is there", "", `{"trusted":true}`, map[string]cty.Value{"a": cty.StringVal("b"), "trusted": cty.StringVal("true")}, nil, unit.ActionUpdate, `{"a":"b","trusted":true}`},
		{"nothing is no value", "", `{"capabilities":["switchdev"]}`, map[string]cty.Value{"capabilities": cty.NullVal(cty.String), "a": cty.StringVal("b")}, nil, unit.ActionUpdate, `{"a":"b","capabilities":["switchdev"]}`},
		{"a list that is taken out", "", `{"capabilities":["switchdev"],"a":"b"}`, map[string]cty.Value{"a": cty.StringVal("b")}, []string{"a", "capabilities"}, unit.ActionUpdate, `{"a":"b"}`},
		{"no JSON after all", "", `{}`, map[string]cty.Value{"a": cty.StringVal("[x")}, nil, unit.ActionUpdate, `{"a":"[x"}`},
		{"an instance that moved", "compute:nova", `{"pci_slot":"0000:05:00.2"}`, map[string]cty.Value{"pci_slot": cty.StringVal("0000:81:00.1")}, []string{"pci_slot"}, unit.ActionNone, ""},
		{"another key of an instance's", "compute:nova", `{"pci_slot":"0000:05:00.2"}`, map[string]cty.Value{"pci_slot": cty.StringVal("0000:81:00.1"), "a": cty.StringVal("b")}, nil, unit.ActionUpdate, `{"a":"b","pci_slot":"0000:05:00.2"}`},
		{"Nova's key that is taken out", "compute:nova", `{"a":"b","pci_slot":"0000:05:00.2"}`, map[string]cty.Value{"a": cty.StringVal("b")}, []string{"a", "pci_slot"}, unit.ActionNone, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := testDriver(t)
			var profile map[string]any
			if err := json.Unmarshal([]byte(test.there), &profile); err != nil {
				t.Fatal(err)
			}
			want := wantValue("port", map[string]cty.Value{"name": cty.StringVal("web"), profileAttribute: cty.MapVal(test.want)})
			k := d.kinds["port"].(portKind)
			m := match{owned: true, object: k.read(map[string]any{"id": "x1", "name": "web", "description": "[" + testMark + "]", "device_owner": test.owner, keyProfile: profile})}
			target := testTarget(t, "port", want)
			target.Complete, target.Set = true, map[string][]string{profileAttribute: test.set}
			diff := d.Compare(target, want, state(target, m))
			if diff.Action != test.action {
				t.Fatalf("the plan shows %+v", diff)
			}
			if test.action == unit.ActionNone {
				return
			}
			r := newRecorder(t)
			w := wanted{value: want, mark: testMark, named: "web", drop: surplus(target.Spec.(*unit.Resource), target, m, want)}
			if err := k.update(t.Context(), r.session, m.object, w, []string{profileAttribute}); err != nil {
				t.Fatal(err)
			}
			if want := `PUT /network/v2.0/ports/x1 {"port":{"binding:profile":` + test.sent + `}}`; !slices.Equal(r.asked, []string{want}) {
				t.Errorf("sent %q, want %s", r.asked, want)
			}
		})
	}
}

// What is exported of a profile has no key that is nothing, and nothing of a port that something has.
func TestBindingProfileOfExports(t *testing.T) {
	k := testDriver(t).kinds["port"].(portKind)
	o := k.read(map[string]any{"id": "x1", keyProfile: map[string]any{"capabilities": []any{"switchdev"}, "none": nil}})
	want := cty.MapVal(map[string]cty.Value{"capabilities": cty.StringVal(`["switchdev"]`)})
	if got := o.values.get(profileAttribute); !got.RawEquals(want) || len(k.theirs(o)) > 0 {
		t.Errorf("got %#v, %q", got, k.theirs(o))
	}
	for _, key := range []string{"device_id", "device_owner"} {
		if o := k.read(map[string]any{"id": "x1", key: "compute:nova"}); !slices.Contains(k.theirs(o), profileAttribute) {
			t.Errorf("with a %s the profile is exported", key)
		}
	}
}
