package plan_test

import (
	"cmp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// spec is wanted of a unit: a text that an object has or has not.
type spec struct {
	driver unit.DriverName
	kind   string
	value  string
	name   string // "n" unless it is set
}

func (s *spec) Driver() unit.DriverName { return s.driver }
func (s *spec) Digest() string          { return "digest of " + s.name + s.value }

func (s *spec) Locator() unit.Locator {
	return unit.Locator{Driver: s.driver, Kind: s.kind, Name: cmp.Or(s.name, "n")}
}

func at(s string) addr.Object { return addr.MustParseObject(s) }

func marker() inventory.Marker { return inventory.NewMarker("test", redact.NewSecret("a key")) }

// of returns a unit of a service, node or resource by its address.
func of(address, value string, needs ...string) unit.Unit {
	u := unit.Unit{Address: at(address), Class: unit.ClassService}
	s := &spec{driver: unit.Kubernetes, kind: u.Address.Kind(), value: value}
	switch s.kind {
	case "node":
		u.Class = unit.ClassNode
	case "resource":
		u.Class, s.driver = unit.ClassResource, unit.OpenStack
	case "system":
		u.Class = unit.ClassSystem
	case "service":
		s.kind = unit.KindRelease
	}
	u.Spec = s
	for _, to := range needs {
		u.Edges = append(u.Edges, unit.Edge{To: at(to), Until: unit.Ready, Gate: unit.GateStart})
	}
	return u
}

// entryOf is what the inventory has of a unit that was applied.
func entryOf(u unit.Unit) inventory.Entry {
	return inventory.Entry{
		UID: "uid of " + u.Address.String(), Address: u.Address, Phase: inventory.Owned, Class: u.Class, Locator: u.Spec.Locator(),
		Applied: u.Spec.Digest(), Edges: inventory.EdgesOf(&u), PreventDestroy: u.PreventDestroy,
	}
}

// seen is the state of an object with a text.
func seen(value string) unit.State {
	return unit.State{
		Existence: unit.Present, Installed: true, Health: unit.HealthReady, Owned: true, Observed: value,
		Outputs: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("id of " + value)}),
	}
}

// compare updates what differs, replaces where "!" is wanted, and is blocked where "?" is: by the difference, or by
// something else beside it where "??" is.
func compare(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
	wanted := ""
	switch kind := t.Spec.(type) {
	case *spec:
		wanted = kind.value
	case *unit.Resource:
		if desired.IsKnown() {
			wanted = desired.AsString()
		} else {
			wanted = unit.TextUnknown
		}
	}
	if s.Existence == unit.Absent {
		return unit.Diff{Action: unit.ActionCreate, Fields: []unit.Field{{Path: "text", After: wanted}}}
	}
	have, _ := s.Observed.(string)
	if have == wanted {
		return unit.Diff{Action: unit.ActionNone}
	}
	d := unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: textOf(t), Before: have, After: wanted}}}
	if wanted[0] == '!' || wanted == unit.TextUnknown {
		d.Action, d.Cost = unit.ActionReplace, "what it holds is lost"
		d.Fields[0].Effect = unit.Replace
	}
	if wanted[0] == '?' {
		d.Action, d.Reason, d.Differs = unit.ActionBlocked, "it cannot be put right", !strings.HasPrefix(wanted, "??")
	}
	return d
}

// textOf is what the text is of: a node has it by its role.
func textOf(t unit.Target) string {
	if t.Address.Kind() == "node" {
		return "metadata.labels." + unit.ComputeLabel
	}
	return "text"
}

// input is what a plan follows from, of an empty world.
func input(units ...unit.Unit) *plan.Input {
	return &plan.Input{
		Language: schema.New(), Units: units, Removed: map[addr.Object]bool{}, States: map[addr.Object]*unit.State{}, Ranges: map[string]diag.Range{},
		Marker: marker(), Hosts: plan.Hosts{None: true},
		Compare: map[unit.DriverName]plan.Compare{unit.Kubernetes: compare, unit.OpenStack: compare},
	}
}
