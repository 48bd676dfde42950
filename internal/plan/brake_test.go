package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// vanishing returns what a plan is made of when so many of the resources on record are gone from the configuration.
func vanishing(total, gone int) *plan.Input {
	in := input(of("service.s", "s"))
	has(in, in.Units[0])
	for i := range total {
		u := of(fmt.Sprintf("resource.r%03d", i), "r")
		has(in, u)
		if i >= gone {
			in.Units = append(in.Units, u)
		}
	}
	return in
}

func TestBrake(t *testing.T) {
	for _, test := range []struct {
		total, gone int
		limits      string
		blocked     bool
		allow       string // what would let them go
	}{
		{total: 12, gone: 10},
		{total: 12, gone: 11, blocked: true, allow: "--max-deletes=11"},
		{total: 100, gone: 25},
		{total: 100, gone: 26, blocked: true, allow: "--max-deletes=26"},
		{total: 100, gone: 26, limits: "0", blocked: true, allow: "--max-deletes=26"},
		{total: 100, gone: 26, limits: "26"},
		{total: 100, gone: 25, limits: "24", blocked: true, allow: "--max-deletes=25"},
		{total: 3, gone: 2, limits: "1", blocked: true, allow: "--max-deletes=2"},
		// shares
		{total: 100, gone: 5, limits: "5%"},
		{total: 100, gone: 6, limits: "5%", blocked: true, allow: "--max-deletes=6"},
		{total: 3, gone: 1, limits: "5%"}, // or nothing could ever go
		{total: 3, gone: 2, limits: "5%", blocked: true, allow: "--max-deletes=2"},
		{total: 3, gone: 1, limits: "0%", blocked: true, allow: "--max-deletes=1"},
		// of one class
		{total: 100, gone: 40, limits: "5%,resource=40"},
		{total: 100, gone: 40, limits: "100%,resource=3%", blocked: true, allow: "--max-deletes=resource=40"},
		{total: 100, gone: 1, limits: "resource=0", blocked: true, allow: "--max-deletes=resource=1"},
		{total: 12, gone: 11, limits: "service=100", blocked: true, allow: "--max-deletes=resource=11"},
	} {
		in := vanishing(test.total, test.gone)
		if test.limits != "" {
			limits, err := plan.ParseLimits(strings.Split(test.limits, ","))
			if err != nil {
				t.Fatal(err)
			}
			in.MaxDeletes = limits
		}
		p := plan.Make(*in)
		if got := p.Count(unit.ActionBlocked); got != map[bool]int{true: test.gone}[test.blocked] {
			t.Errorf("%+v: %d are blocked", test, got)
		}
		if c := p.Change(at("resource.r000")); test.blocked && !strings.Contains(c.Reason, "allow it with "+test.allow+", or name") {
			t.Errorf("%+v: %s", test, c.Reason)
		}
	}
}

// TestBrakeCountsWhatAManifestHolds: one that vanishes counts as what is in it, and one of a service of ours as one.
func TestBrakeCountsWhatAManifestHolds(t *testing.T) {
	for _, test := range []struct {
		class      unit.Class
		holds, all int
		blocked    string
	}{
		{unit.ClassWorkload, 10, 10, ""},
		{unit.ClassWorkload, 11, 11, "11 of 11 would be deleted at once, and 10 is the limit"},
		{unit.ClassWorkload, 1000, 1001, "1000 of 1001 would be deleted at once, and 250 is the limit"},
		{unit.ClassWorkload, 25, 100, ""},
		{unit.ClassInfrastructure, 1000, 1000, ""},
	} {
		in := input(of("service.s", "s"))
		has(in, in.Units[0])
		for i, n := range []int{test.holds, test.all - test.holds} {
			u := of(fmt.Sprintf("resource.r%d", i), "r")
			entry := entryOf(u)
			entry.Class, entry.Locator.Kind, entry.Locator.Objects = test.class, unit.KindObjects, make([]unit.ObjectRef, n)
			if i == 1 && n == 0 {
				break
			}
			in.Entries, in.States[u.Address] = append(in.Entries, entry), new(seen("r"))
			if i == 1 {
				in.Units = append(in.Units, u)
			}
		}
		c := plan.Make(*in).Change(at("resource.r0"))
		if blocked := c.Action == unit.ActionBlocked; blocked != (test.blocked != "") || !strings.HasPrefix(c.Reason, test.blocked) && blocked {
			t.Errorf("%+v: %s, %s", test, c.Action, c.Reason)
		}
	}
}

// TestBrakeCountsBlocksAsWell: what a large manifest holds lets no more go of what is beside it.
func TestBrakeCountsBlocksAsWell(t *testing.T) {
	in := input()
	for i := range 41 {
		u := of(fmt.Sprintf("resource.r%03d", i), "r")
		entry := entryOf(u)
		entry.Class = unit.ClassWorkload
		if i == 0 {
			entry.Locator.Kind, entry.Locator.Objects = unit.KindObjects, make([]unit.ObjectRef, 200)
			in.Units = append(in.Units, u)
		}
		in.Entries, in.States[u.Address] = append(in.Entries, entry), new(seen("r"))
	}
	p := plan.Make(*in)
	if c := p.Change(at("resource.r001")); p.Count(unit.ActionBlocked) != 40 || !strings.HasPrefix(c.Reason, "40 of 41 would be deleted at once, and 10 is the limit: allow it with --max-deletes=40") {
		t.Errorf("%d are blocked: %s", p.Count(unit.ActionBlocked), c.Reason)
	}
}

// TestBrakeCountsWhatIsNotSeen: what waits until it can be seen goes by the same commit as what goes now.
func TestBrakeCountsWhatIsNotSeen(t *testing.T) {
	for _, test := range []struct {
		what    string
		change  func(*plan.Input)
		blocked int
		reason  string
	}{
		{"all are seen", func(*plan.Input) {}, 12, "12 of 12 would be deleted at once, and 10 is the limit: allow it with --max-deletes=12"},
		{"one chart is not", func(in *plan.Input) { in.States[at("chart.c0")] = new(unit.State) }, 12, "12 of 12 would be deleted at once"},
		{"none of the charts is", func(in *plan.Input) {
			for i := range 6 {
				in.States[at(fmt.Sprintf("chart.c%d", i))] = nil
			}
		}, 12, "12 of 12 would be deleted at once"},
		{"few go", func(in *plan.Input) {
			in.States[at("chart.c0")], in.Entries = nil, in.Entries[:10]
		}, 5, ""},
		{"those that are not must not go either", func(in *plan.Input) {
			for i := range 6 {
				in.States[at(fmt.Sprintf("chart.c%d", i))] = nil
				in.Entries[2*i+1].PreventDestroy = true
			}
		}, 6, ""},
		{"those that are not are named", func(in *plan.Input) {
			for i := range 6 {
				c := at(fmt.Sprintf("chart.c%d", i))
				in.States[c] = nil
				in.Removals = append(in.Removals, model.Removal{From: c, Destroy: true})
			}
		}, 6, ""},
	} {
		in := input(of("service.s", "s"))
		for i := range 6 { // of one class, by two drivers
			for _, kind := range []string{"manifest.m", "chart.c"} {
				u := of(fmt.Sprintf("%s%d", kind, i), "r")
				entry := entryOf(u)
				entry.Class = unit.ClassWorkload
				if kind == "chart.c" {
					entry.Locator.Driver = unit.Helm
				}
				in.Entries, in.States[u.Address] = append(in.Entries, entry), new(seen("r"))
			}
		}
		test.change(in)
		has(in, in.Units[0])
		p := plan.Make(*in)
		if c := p.Change(at("manifest.m0")); p.Count(unit.ActionBlocked) != test.blocked || !strings.HasPrefix(c.Reason, test.reason) {
			t.Errorf("%s: %d are blocked, want %d: %s", test.what, p.Count(unit.ActionBlocked), test.blocked, c.Reason)
		}
	}
}

// TestBrakeCountsWhatWaitsForInstances: nodes whose instances are moved away go by the same commit as those without any.
func TestBrakeCountsWhatWaitsForInstances(t *testing.T) {
	running := map[string]int{}
	for i := range 6 {
		running[fmt.Sprintf("h%d", i)] = 1
	}
	down := errors.New("nova is down")
	for _, test := range []struct {
		what   string
		gone   int
		change func(*plan.Input)
		reason string // of a node that nothing runs on
	}{
		{"instances run on some", 12, func(in *plan.Input) { in.Hosts = plan.Hosts{Count: running} }, "12 of 14 would be deleted at once, and 10 is the limit"},
		{"nobody knows of some", 12, func(in *plan.Input) {
			in.Hosts = plan.Hosts{Err: down}
			for i := range 6 {
				in.States[at(fmt.Sprintf("node.n%d", i))].Labels = []string{unit.ComputeLabel}
			}
		}, "12 of 14 would be deleted at once, and 10 is the limit"},
		{"some become other nodes", 6, func(in *plan.Input) {
			in.Hosts = plan.Hosts{Count: running}
			for i := range 6 {
				in.Units = append(in.Units, node(fmt.Sprintf("node.n%d", i), fmt.Sprintf("other%d", i), "x"))
			}
		}, "12 of 14 would be deleted at once, and 10 is the limit"},
		{"few go", 10, func(in *plan.Input) { in.Hosts = plan.Hosts{Count: running} }, ""},
		{"those where they run are named", 12, func(in *plan.Input) {
			in.Hosts = plan.Hosts{Count: running}
			for i := range 6 {
				in.Removals = append(in.Removals, model.Removal{From: at(fmt.Sprintf("node.n%d", i)), Destroy: true})
			}
		}, ""},
		{"those where they run are protected", 12, func(in *plan.Input) {
			in.Hosts = plan.Hosts{Count: running}
			for i := range 6 {
				in.Entries[i].PreventDestroy = true
			}
		}, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			in := input(of("service.s", "s"))
			for i := range 14 {
				n := node(fmt.Sprintf("node.n%d", i), fmt.Sprintf("h%d", i), "x")
				has(in, n)
				in.Entries[i].Class = unit.ClassNode
				in.States[n.Address].Labels = []string{unit.ControlPlaneLabel}
				if i >= 12 || test.gone == 10 && i >= 10 {
					in.Units = append(in.Units, n)
				}
			}
			has(in, in.Units[0])
			test.change(in)
			for i := range in.Units {
				if in.Units[i].Spec.Locator().Kind == unit.KindNode {
					in.Units[i].Class = unit.ClassNode
				}
			}
			c := plan.Make(*in).Change(at("node.n7"))
			if braked := c.Action == unit.ActionBlocked; braked != (test.reason != "") || braked && !strings.HasPrefix(c.Reason, test.reason) {
				t.Errorf("%s: %s", c.Action, c.Reason)
			}
		})
	}
}

// TestBrakeLetsGoWhatIsNamed: who names what is to go has confirmed that, and nothing else.
func TestBrakeLetsGoWhatIsNamed(t *testing.T) {
	in := vanishing(12, 12)
	in.MaxDeletes = plan.AtMost(1)
	named := func(n int) plan.Removals {
		var r plan.Removals
		for i := range n {
			r = append(r, model.Removal{From: at(fmt.Sprintf("resource.r%03d", i)), Destroy: true})
		}
		return r
	}
	for _, test := range []struct{ named, blocked int }{{0, 12}, {10, 2}, {11, 0}, {12, 0}} {
		in.Removals = named(test.named)
		p := plan.Make(*in)
		if got := p.Count(unit.ActionBlocked); got != test.blocked {
			t.Errorf("%d of 12 are named, and %d are blocked", test.named, got)
		}
		if got := p.Count(unit.ActionDelete); got != 12-test.blocked {
			t.Errorf("%d of 12 are named, and %d go", test.named, got)
		}
	}
	// What is made anew does not go, whatever was written of it before.
	in = input()
	for i := range 3 {
		u := of(fmt.Sprintf("resource.r%03d", i), "!2")
		in.Units = append(in.Units, u)
		has(in, of(fmt.Sprintf("resource.r%03d", i), "r"))
	}
	in.MaxDeletes, in.Removals = plan.AtMost(1), named(3)
	if p := plan.Make(*in); p.Count(unit.ActionBlocked) != 3 {
		t.Errorf("of replacements %d are blocked", p.Count(unit.ActionBlocked))
	}
	// A module that is named is all that is in it.
	in = vanishing(0, 0)
	for i := range 12 {
		has(in, of(fmt.Sprintf("module.edge.resource.r%03d", i), "r"))
	}
	edge, err := addr.ParseModule("module.edge")
	if err != nil {
		t.Fatal(err)
	}
	in.MaxDeletes, in.Removals = plan.AtMost(1), plan.Removals{{From: edge, Destroy: true}}
	if p := plan.Make(*in); p.Count(unit.ActionDelete) != 12 {
		t.Errorf("of a module that is named %d go", p.Count(unit.ActionDelete))
	}
}

func TestParseLimits(t *testing.T) {
	for text, want := range map[string]string{
		"40": "40", "20%": "20%", "0": "", "node=1,10%,resource=0": "10%,node=1,resource=0",
		"-1": "it is a number", "many": "it is a number", "101%": "it is a number", "resource=": "it is a number",
		"disk=1": "one of [infrastructure service workload node resource]", "system=1": "there is no class",
		"1,2": "another limit for the same", "node=1,node=2": "another limit for the same",
	} {
		limits, err := plan.ParseLimits(strings.Split(text, ","))
		got := limits.String()
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
