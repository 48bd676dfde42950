package plan_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What is sensitive is in no warning, be it so where it is written, where it was read, or only on record.
func TestNothingSensitiveIsInWarnings(t *testing.T) {
	const canary = 31337
	secret := func(v cty.Value) cty.Value { return v.Mark(model.Sensitive) }
	p1, hidden := cty.StringVal("p1"), secret(cty.StringVal("p1"))
	volume := func(project cty.Value, size cty.Value) map[string]cty.Value {
		return map[string]cty.Value{"project": project, "size": size}
	}
	quota := func(limits map[string]cty.Value) map[string]cty.Value {
		return map[string]cty.Value{"quota": cty.ObjectVal(limits)}
	}
	small, large := number(1), number(canary)
	record := func(w *weighing, address, attribute string) {
		w.in.Entries = append(w.in.Entries, inventory.Entry{Address: at(address), UID: address, Sensitive: map[string]string{attribute: "digest"}})
	}
	for name, c := range map[string]struct {
		plan   func(w *weighing)
		limit  string
		live   unit.Quota
		warned string // a part of the warning, "" where there must be none
	}{
		"a project": {func(w *weighing) { w.add("volume.a", unit.ActionCreate, volume(hidden, small), nil) }, "volumes", unit.Quota{}, ""},
		"a size":    {func(w *weighing) { w.add("volume.a", unit.ActionCreate, volume(p1, secret(large)), nil) }, "gigabytes", unit.Quota{}, ""},
		"how many":  {func(w *weighing) { w.add("volume.a", unit.ActionCreate, volume(p1, secret(large)), nil) }, "volumes", unit.Quota{}, "makes 1 more"},
		"a larger size": {func(w *weighing) {
			w.add("volume.a", unit.ActionUpdate, volume(p1, secret(large)), volume(p1, small), "size")
		}, "gigabytes", unit.Quota{}, ""},
		"what was smaller": {func(w *weighing) {
			w.add("volume.a", unit.ActionUpdate, volume(p1, large), volume(p1, secret(small)), "size")
		}, "gigabytes", unit.Quota{}, ""},
		"a size that goes": {func(w *weighing) {
			w.add("volume.a", unit.ActionDelete, nil, volume(p1, large))
			w.add("volume.b", unit.ActionCreate, volume(p1, number(2)), nil)
			record(w, "volume.a", "size")
		}, "gigabytes", unit.Quota{Limit: 1, Used: 9}, "makes 2 more, whatever goes"},
		"a project that something goes in": {func(w *weighing) {
			w.add("volume.a", unit.ActionDelete, nil, volume(p1, small))
			w.add("volume.b", unit.ActionCreate, volume(p1, small), nil)
			record(w, "volume.a", "project")
		}, "volumes", unit.Quota{Limit: 1, Used: 1}, ""},
		"a size of a flavor": {func(w *weighing) {
			w.add("flavor.a", unit.ActionNone, map[string]cty.Value{"vcpus": secret(large)}, map[string]cty.Value{"vcpus": secret(large)})
			w.add("instance.a", unit.ActionCreate, map[string]cty.Value{"project": p1, "flavor": cty.StringVal("id of a")}, nil)
		}, "cores", unit.Quota{}, ""},
		"a flavor": {func(w *weighing) {
			w.add("flavor.a", unit.ActionNone, map[string]cty.Value{"vcpus": large}, map[string]cty.Value{"vcpus": large})
			w.add("instance.a", unit.ActionCreate, map[string]cty.Value{"project": p1, "flavor": secret(cty.StringVal("id of a"))}, nil)
			w.in.Units[1].Edges = []unit.Edge{{To: at("flavor.a"), Until: unit.Ready, Gate: unit.GateStart}}
		}, "cores", unit.Quota{}, ""},
		"a limit that is set": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, volume(p1, small), nil)
			w.add("project.p1", unit.ActionUpdate, quota(map[string]cty.Value{"volumes": secret(large)}), quota(map[string]cty.Value{"volumes": small}))
		}, "volumes", unit.Quota{Limit: canary, Used: canary}, ""},
		"a limit that is there": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, volume(p1, small), nil)
			w.add("project.p1", unit.ActionNone, quota(map[string]cty.Value{"volumes": secret(large)}), map[string]cty.Value{"quota": secret(cty.EmptyObjectVal)})
		}, "volumes", unit.Quota{Limit: canary, Used: canary}, ""},
		"a quota": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, volume(p1, small), nil)
			w.add("project.p1", unit.ActionUpdate, map[string]cty.Value{"quota": secret(cty.ObjectVal(map[string]cty.Value{"volumes": large}))}, quota(nil))
		}, "volumes", unit.Quota{Limit: canary, Used: canary}, ""},
		"a quota that was there": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, volume(p1, small), nil)
			w.add("project.p1", unit.ActionNone, map[string]cty.Value{"quota": cty.NullVal(cty.DynamicPseudoType)}, quota(nil))
			record(w, "project.p1", "quota")
		}, "volumes", unit.Quota{Limit: canary, Used: canary}, ""},
		"another limit": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, volume(p1, small), nil)
			w.add("project.p1", unit.ActionUpdate, quota(map[string]cty.Value{"volumes": number(2), "cores": secret(large)}), quota(nil))
		}, "volumes", unit.Quota{Limit: 1, Used: 2}, "allows 2, 2 are in use"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &weighing{input(), &plan.Plan{}}
			c.plan(w)
			text := ""
			for _, d := range w.demand().Exceeded(map[string]map[string]unit.Quota{"p1": {c.limit: c.live}}, nil) {
				text += d.Detail
			}
			if strings.Contains(text, strconv.Itoa(canary)) || (c.warned == "") != (text == "") || !strings.Contains(text, c.warned) {
				t.Error(text)
			}
		})
	}
}

// What is asked for is what is created, of projects that are there; what cannot be read is told once.
func TestQuotasThatAreAskedFor(t *testing.T) {
	w := &weighing{input(), &plan.Plan{}}
	p1, p2 := map[string]cty.Value{"project": cty.StringVal("p1")}, map[string]cty.Value{"project": cty.StringVal("p2")}
	w.add("network.a", unit.ActionCreate, p1, nil)
	w.add("volume.a", unit.ActionCreate, map[string]cty.Value{"project": cty.StringVal("p1"), "size": number(1)}, nil)
	w.add("router.a", unit.ActionCreate, map[string]cty.Value{"project": cty.NullVal(cty.String)}, nil)
	w.add("port.a", unit.ActionDelete, nil, p2)
	w.add("image.a", unit.ActionCreate, p2, nil)
	w.add("network.suspended", unit.ActionCreate, p2, nil)
	w.plan.Changes[5].Suspended = "until tomorrow"
	d := w.demand()
	limits := d.Limits()
	if want := map[string][]string{"p1": {"gigabytes", "networks", "per_volume_gigabytes", "volumes"}, "home": {"routers"}}; !maps.EqualFunc(limits, want, slices.Equal) {
		t.Error(limits)
	}
	found := d.Exceeded(nil, errors.New("no\nright"))
	if len(found) != 1 || found[0].Severity != diag.Warning || !strings.Contains(found[0].Detail, `no\nright`) {
		t.Error(fmt.Sprint(found))
	}
}
