package openstack_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// refer has an attribute of a unit be the id of another one, or those of several in a list. There may be no unit.
func refer(u *unit.Unit, attribute string, to ...addr.Object) {
	if u == nil {
		return
	}
	spec := *u.Spec.(*unit.Resource)
	before := spec.Resolve
	if before == nil {
		written := spec.Desired
		before = func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) { return written, nil }
	}
	spec.Resolve = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		value, diags := before(outputs)
		all := value.AsValueMap()
		t := value.Type().AttributeType(attribute)
		var ids []cty.Value
		for _, a := range to {
			if other, known := outputs[a]; known {
				ids = append(ids, other.GetAttr("id"))
			}
		}
		switch {
		case len(ids) < len(to):
			all[attribute] = cty.UnknownVal(t)
		case t.IsListType():
			all[attribute] = cty.ListVal(ids)
		case t.IsSetType():
			all[attribute] = cty.SetVal(ids)
		default:
			all[attribute] = ids[0]
		}
		return cty.ObjectVal(all), diags
	}
	spec.Desired, _ = spec.Resolve(nil)
	u.Spec = &spec
	for _, a := range to {
		u.Edges = append(u.Edges, unit.Edge{To: a, Until: unit.Ready, Gate: unit.GateStart})
	}
}

func kindOfUnit(u unit.Unit) string { return u.Spec.(*unit.Resource).Kind }

// holdsParts asserts that there is nothing but what is wanted of what has no name of its own: the interfaces of the
// router, and the Secret of the pair that is generated.
func (r *randomRun) holdsParts(t *testing.T, wanted []unit.Unit) {
	t.Helper()
	interfaces, secrets := 0, 0
	for _, u := range wanted {
		switch {
		case kindOfUnit(u) == "router":
			interfaces = len(u.Edges)
		case u.Spec.(*unit.Resource).Keeps != (unit.ObjectRef{}):
			secrets++
		}
	}
	if n := len(r.kept.secrets); n != secrets {
		t.Errorf("there are %d Secrets, want %d", n, secrets)
	}
	ours := map[string]bool{}
	networks, _ := request(t, "network", http.MethodGet, "v2.0/networks?fields=id&fields=name", nil)["networks"].([]any)
	for _, one := range networks {
		raw, _ := one.(map[string]any)
		id, _ := raw["id"].(string)
		name, _ := raw["name"].(string)
		ours[id] = strings.HasPrefix(name, r.prefix)
	}
	var there []any
	ports, _ := request(t, "network", http.MethodGet, "v2.0/ports", nil)["ports"].([]any)
	for _, one := range ports {
		raw, _ := one.(map[string]any)
		network, _ := raw["network_id"].(string)
		if name, _ := raw["name"].(string); ours[network] && !strings.HasPrefix(name, r.prefix) {
			there = append(there, raw["device_owner"])
		}
	}
	if len(there) != interfaces {
		t.Errorf("the interfaces are %q, want %d", there, interfaces)
	}
}

// rests asserts that one more pass changes nothing.
func (r *randomRun) rests(t *testing.T, wanted []unit.Unit) {
	t.Helper()
	before := r.fleet.Counts()
	err := r.pass(t.Context(), r.store, wanted)
	counts := r.fleet.Counts().Since(before)
	if n := counts.Total(http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodPost) - counts.Of(http.MethodPost, "/v3/auth/tokens"); err != nil || n != 0 {
		t.Errorf("an unchanged configuration takes %d changes, %v\n%v", n, err, counts)
	}
}

// clear takes away what the run has made: all but one by a configuration that has nothing else, and that one by itself.
func (r *randomRun) clear(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	last := r.revisions[0][:1]
	if err := r.settleUnits(ctx, last); err != nil {
		t.Error(err)
	}
	kept, err := inventory.Open(ctx, r.store)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range kept.Entries() {
		tg := unit.Target{
			Address: entry.Address, Locator: entry.Locator, Spec: last[0].Spec, ID: entry.ID, UID: entry.UID, Mark: r.marker.Mark(entry.UID),
		}
		if err := r.destroy(ctx, t, tg); err != nil {
			t.Error(err)
		}
	}
}
