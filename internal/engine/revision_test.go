package engine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// parseRevision reads a revision of a scenario. Each line is one of
//
//	deployment cloud release region
//	removed ADDRESS [WHAT]...: a service with enabled = false, and what goes with it
//	move FROM TO [stays]     import ADDRESS ID|name=NAME     destroy ADDRESS     forget ADDRESS: the blocks
//	teardown [SERVICE]...: the block for the cloud, with the services whose data goes
//	ADDRESS [word|name=value]...
//
// A name that begins with a dot is a field of the object. The others are driver, class, drift,
// needs (ADDRESS:until:gate:part, separated by commas; until is ready and gate is start where they are
// left out), parts (FIELD:SERVICE that keeps it), on (the name of a node), replace (fields), fixed (ATTRIBUTE:VALUE), closes (with _ for blanks), mends (fields), slow, install, ref (ADDRESS:output), objects (the names of those in a set, see [setOf]); the words are prevent, keep, stays, release, lookup, stubborn, unsigned.
func parseRevision(t *testing.T, id, text string) *engine.Revision {
	t.Helper()
	r := &engine.Revision{
		ID: id, Removed: map[addr.Object]bool{}, CleanUps: map[addr.Object][]string{}, Ranges: map[string]diag.Range{},
		Deployment: inventory.Deployment{Cloud: "demo"},
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "deployment":
			r.Deployment = inventory.Deployment{Cloud: words[1], Release: words[2], Region: words[3]}
		case words[0] == "removed":
			r.Removed[addr.MustParseObject(words[1])] = true
			if len(words) > 2 {
				r.CleanUps[addr.MustParseObject(words[1])] = words[2:]
			}
		case words[0] == "move":
			r.Moves = append(r.Moves, model.Move{From: anyAddress(t, words[1]), To: anyAddress(t, words[2]), Stays: slices.Contains(words[3:], "stays")})
		case words[0] == "import":
			i := model.Import{To: addr.MustParseObject(words[1]), ID: words[2]}
			if name, by := strings.CutPrefix(words[2], "name="); by {
				i.ID, i.Filter = "", cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name)})
			}
			r.Imports = plan.ImportsOf([]model.Import{i})
		case words[0] == "destroy", words[0] == "forget":
			r.Removals = append(r.Removals, model.Removal{From: anyAddress(t, words[1]), Destroy: words[0] == "destroy"})
		case words[0] == "suspend":
			target, err := addr.ParseTarget(strings.TrimPrefix(words[1], "all"))
			if err != nil {
				t.Fatal(err)
			}
			r.Suspensions = append(r.Suspensions, suspension.Suspension{Target: target, Reason: strings.Join(words[2:], " ")})
		case words[0] == "teardown":
			r.Removals = append(r.Removals, model.Removal{From: addr.Module{}, Destroy: true, DeleteData: words[1:]})
		default:
			r.Units = append(r.Units, parseUnit(t, words))
		}
	}
	return r
}

func parseUnit(t *testing.T, words []string) unit.Unit {
	t.Helper()
	u := unit.Unit{Address: addr.MustParseObject(words[0]), Class: unit.ClassService}
	s := &spec{driver: unit.Kubernetes, kind: u.Address.Kind(), name: u.Address.Name(), fields: map[string]string{}}
	if s.kind == "release" {
		s.kind = unit.KindRelease
	}
	u.Spec = s
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		number, _ := strconv.Atoi(value)
		switch name {
		case "driver":
			s.driver = unit.DriverName(value)
			if s.driver == unit.OpenStack {
				u.Class = unit.ClassResource
			}
		case "class":
			u.Class = unit.Class(value)
		case "drift":
			u.Drift = unit.DriftPolicy(value)
		case "needs":
			for need := range strings.SplitSeq(value, ",") {
				u.Edges = append(u.Edges, parseEdge(need))
			}
		case "mends":
			s.mends = strings.Split(value, ",")
		case "replace":
			s.replace = strings.Split(value, ",")
		case "on":
			s.name = value
		case "slow":
			s.slow = number
		case "install":
			s.install = number
		case "fixed":
			attribute, text, _ := strings.Cut(value, ":")
			u.Fixed = map[string]string{attribute: text}
		case "closes":
			u.Closes = strings.ReplaceAll(value, "_", " ")
		case "prevent":
			u.PreventDestroy = true
		case "stays":
			u.Stays = true
		case "first":
			u.CreateFirst = true
		case "trigger":
			u.Spec.(*unit.Resource).Triggers = triggering(value)
		case "heal":
			s.heal = unit.Action(value)
		case "ill":
			s.ill = value
		case "stops":
			s.stops = strings.Split(value, ",")
		case "agents":
			s.agents = strings.Split(value, ",")
		case "opens":
			s.opens = strings.Split(value, ",")
		case "parts":
			s.parts = map[string]string{}
			for part := range strings.SplitSeq(value, ",") {
				field, service, _ := strings.Cut(part, ":")
				s.parts[field] = service
			}
		case "release":
			s.kind = unit.KindRelease
		case "keep":
			s.keep = true
		case "unsigned":
			s.unsigned = true
		case "stubborn":
			s.stubborn = true
		case "ref":
			resource := referring(s.kind, value)
			_, resource.Lookup = u.Spec.(*unit.Resource) // after the word lookup
			u.Spec, u.Class = resource, unit.ClassResource
		case "objects":
			u.Spec = setOf(value)
		case "lookup":
			u.Spec = &unit.Resource{Kind: s.kind, Lookup: true, Desired: cty.EmptyObjectVal}
			u.Class = unit.ClassResource
		default:
			field, ok := strings.CutPrefix(name, ".")
			if !ok {
				t.Fatalf("%s: what is %q?", words[0], word)
			}
			s.fields[field] = value
		}
	}
	return u
}

// referring returns the spec of a resource whose field is an output of another unit.
func referring(kind, reference string) *unit.Resource {
	to, output, _ := strings.Cut(reference, ":")
	return &unit.Resource{
		Kind: kind, Desired: cty.UnknownVal(cty.String),
		Resolve: func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
			if v, ok := outputs[addr.MustParseObject(to)]; ok && v.Type().HasAttribute(output) {
				return v.GetAttr(output), nil
			}
			return cty.UnknownVal(cty.String), nil
		},
	}
}

// triggering returns values to be replaced for: what is written, or an output of another unit.
func triggering(value string) func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
	return func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
		var values []cty.Value
		for text := range strings.SplitSeq(value, ",") {
			v := cty.StringVal(text)
			if strings.Contains(text, ":") {
				v, _ = referring("", text).Resolve(outputs)
			}
			values = append(values, v)
		}
		return cty.TupleVal(values), nil
	}
}

func anyAddress(t *testing.T, text string) addr.Address {
	t.Helper()
	a, err := addr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func parseAddress(text string) addr.Object { return addr.MustParseObject(text) }

func parseEdge(text string) unit.Edge {
	parts := strings.Split(text, ":")
	e := unit.Edge{To: addr.MustParseObject(parts[0]), Until: unit.Ready, Gate: unit.GateStart}
	if len(parts) > 1 {
		e.Until = unit.Condition(parts[1])
	}
	if len(parts) > 2 {
		e.Gate = unit.Gate(parts[2])
	}
	if len(parts) > 3 {
		e.Part = parts[3]
	}
	e.Making = len(parts) > 4 && parts[4] == "making"
	return e
}
