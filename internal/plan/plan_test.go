package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// has adds units that were applied, and stand in the world as they are wanted.
func has(in *plan.Input, units ...unit.Unit) {
	for _, u := range units {
		in.Entries = append(in.Entries, entryOf(u))
		in.States[u.Address] = new(seen(u.Spec.(*spec).value))
	}
}

// expect compares a plan with lines "address action", and a part of the reason after a colon.
func expect(t *testing.T, p *plan.Plan, want ...string) {
	t.Helper()
	if len(p.Changes) != len(want) {
		t.Errorf("%d changes, want %d", len(p.Changes), len(want))
	}
	for i := range min(len(want), len(p.Changes)) {
		head, reason, _ := strings.Cut(want[i], ": ")
		c := p.Changes[i]
		if got := c.Address.String() + " " + string(c.Action); got != head || !strings.Contains(c.Reason, reason) {
			t.Errorf("got %s: %s, want %s", got, c.Reason, want[i])
		}
	}
}

func TestMakeOfANewCloud(t *testing.T) {
	in := input(of("service.keystone", "k"), of("resource.net", "n", "service.keystone"), resource("resource.port", "resource.net"), of("resource.alone", "x"))
	in.States[at("service.keystone")] = &unit.State{Existence: unit.Absent}
	in.States[at("resource.alone")] = &unit.State{Message: "there is no API"}
	p := plan.Make(*in)
	expect(t, p, "resource.alone unknown: there is no API", "resource.net create: once service.keystone is there",
		"resource.port create: once resource.net is there", "service.keystone create")
	if p.Empty() || p.Count(unit.ActionCreate, unit.ActionUnknown) != 4 || p.Change(at("service.nobody")) != nil {
		t.Error("it is counted wrongly")
	}
}

func TestMakeOfAnUnchangedCloud(t *testing.T) {
	a, b := of("service.a", "a"), of("service.b", "b", "service.a")
	in := input(a, b)
	has(in, a, b)
	p := plan.Make(*in)
	expect(t, p, "service.a none", "service.b none")
	if !p.Empty() {
		t.Error("it is not empty")
	}
}

func TestMakeFollowsReplacements(t *testing.T) {
	net := of("resource.net", "net")
	changed := of("resource.net", "!other")
	port := resource("resource.port", "resource.net")
	in := input(changed, port)
	has(in, net)
	in.Entries = append(in.Entries, entryOf(port))
	in.States[port.Address] = new(seen("id of net"))
	expect(t, plan.Make(*in), "resource.net replace", "resource.port replace")
	in.Units[0] = net
	expect(t, plan.Make(*in), "resource.net none", "resource.port none")
}

func TestMakeEndsWithCycles(t *testing.T) {
	in := input(of("service.a", "a", "service.b"), of("service.b", "b", "service.a"))
	if p := plan.Make(*in); len(p.Changes) != 2 {
		t.Errorf("%d changes", len(p.Changes))
	}
}

func TestReplacingWhatOthersNeedIsBlocked(t *testing.T) {
	a, b, c := of("service.a", "a"), of("service.b", "b", "service.a"), of("service.c", "c", "service.b")
	newA, newB := of("service.a", "!2"), of("service.b", "!2", "service.a")
	for _, test := range []struct {
		name  string
		units []unit.Unit
		gone  string
		want  []string
	}{
		{"nobody needs it", []unit.Unit{newA}, "", []string{"service.a replace"}},
		{"one that stays needs it", []unit.Unit{newA, b}, "", []string{"service.a blocked: but service.b needs it", "service.b none"}},
		{"it is replaced, too", []unit.Unit{newA, newB}, "", []string{"service.a replace", "service.b replace"}},
		{"the one after it stays", []unit.Unit{newA, newB, c}, "", []string{"service.a blocked: service.b", "service.b blocked: service.c", "service.c none"}},
		{"it is not there", []unit.Unit{newA, b}, "service.b", []string{"service.a replace", "service.b create"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(test.units...)
			for _, u := range []unit.Unit{a, b, c} {
				for _, wanted := range test.units {
					if wanted.Address == u.Address {
						has(in, u)
					}
				}
			}
			if test.gone != "" {
				in.States[at(test.gone)] = &unit.State{Existence: unit.Absent}
			}
			expect(t, plan.Make(*in), test.want...)
		})
	}
}

func TestWhatIsNotDeletedAfterAllKeepsWhatItNeeds(t *testing.T) {
	a, kept := of("service.a", "a"), of("service.kept", "k", "service.a")
	in := input(of("service.a", "!2"))
	has(in, a, kept) // its block is gone, but it is not uninstalled by that
	expect(t, plan.Make(*in), "service.a blocked: but service.kept needs it", "service.kept none")

	net, server := of("resource.net", "n"), of("resource.server", "s", "resource.net")
	net.Class = unit.ClassService
	in = input(of("resource.net", "!2"), of("resource.server", "!2", "resource.net"))
	in.Units[0].Class = unit.ClassService
	in.Units[1].PreventDestroy = true
	has(in, net, server)
	expect(t, plan.Make(*in), "resource.net blocked: but resource.server needs it", "resource.server blocked: prevent_destroy")

	other := of("resource.other", "o")
	in = input(of("resource.net", "!2"), of("resource.server", "!2", "resource.net"), of("resource.other", "!2"))
	in.Units[0].Class = unit.ClassService
	has(in, net, server, other)
	in.MaxDeletes = plan.AtMost(1)
	expect(t, plan.Make(*in), "resource.net blocked: but resource.server needs it", "resource.other blocked: 2 of 2", "resource.server blocked: 2 of 2")
}

func TestRefusals(t *testing.T) {
	deployment := inventory.Deployment{Cloud: "demo", Release: "2025.1", Region: "R", Namespace: "openstack", NetworkBackend: "ovn", StorageBackend: "ceph"}
	k := of("service.keystone", "k")
	change := func(f func(*inventory.Deployment)) inventory.Deployment {
		d := deployment
		f(&d)
		return d
	}
	for _, test := range []struct {
		name   string
		is     inventory.Deployment
		want   diag.Code
		place  string
		nobody bool // nothing is deployed
	}{
		{name: "the same", is: deployment},
		{name: "name", is: change(func(d *inventory.Deployment) { d.Cloud = "x" }), want: plan.CodeImmutable, place: "name.hcl"},
		{name: "namespace", is: change(func(d *inventory.Deployment) { d.Namespace = "x" }), want: plan.CodeImmutable, place: "cloud.hcl"},
		{name: "region", is: change(func(d *inventory.Deployment) { d.Region = "x" }), want: plan.CodeImmutable, place: "cloud.hcl"},
		{name: "network_backend", is: change(func(d *inventory.Deployment) { d.NetworkBackend = "x" }), want: plan.CodeImmutable, place: "cloud.hcl"},
		{name: "storage_backend", is: change(func(d *inventory.Deployment) { d.StorageBackend = "x" }), want: plan.CodeImmutable, place: "cloud.hcl"},
		{name: "release", is: change(func(d *inventory.Deployment) { d.Release = "2025.2" }), want: plan.CodeUpgrade, place: "cloud.hcl"},
		{name: "nothing is deployed", is: change(func(d *inventory.Deployment) { d.Region = "x" }), nobody: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(k)
			in.Deployment, in.Recorded = test.is, &deployment
			in.Ranges["name"], in.Ranges[""] = diag.Range{File: "name.hcl"}, diag.Range{File: "cloud.hcl"}
			if !test.nobody {
				has(in, k)
			}
			p := plan.Make(*in)
			if test.want == "" {
				if len(p.Refused) > 0 {
					t.Errorf("refused: %v", p.Refused)
				}
				return
			}
			if len(p.Refused) != 1 || p.Refused[0].Code != test.want || p.Refused[0].Subject.File != test.place || !strings.HasPrefix(p.Refused[0].Summary, test.name) || p.Empty() {
				t.Errorf("got %v", p.Refused)
			}
		})
	}
}

func TestAnEmptyConfigurationIsRefused(t *testing.T) {
	system, service, stays := of("system.ns", "s"), of("service.a", "a"), of("resource.stays", "r")
	for _, test := range []struct {
		name      string
		units, is []unit.Unit
		want      bool
	}{
		{"nothing at all", nil, nil, false},
		{"only what we need ourselves was there", nil, []unit.Unit{system}, false},
		{"nothing is left", nil, []unit.Unit{system, service}, true},
		{"only what we need ourselves is left", []unit.Unit{system}, []unit.Unit{system, service}, true},
		{"what is left stays", nil, []unit.Unit{system, stays}, false},
		{"another one", []unit.Unit{of("service.b", "b")}, []unit.Unit{service}, false},
	} {
		in := input(test.units...)
		has(in, test.is...)
		for i := range in.Entries {
			in.Entries[i].Stays = in.Entries[i].Address == stays.Address
		}
		p := plan.Make(*in)
		if got := len(p.Refused) == 1 && p.Refused[0].Code == plan.CodeEmpty; got != test.want {
			t.Errorf("%s: %v", test.name, p.Refused)
		}
	}
}

func TestTheWayToOpenStackStays(t *testing.T) {
	keystone, glance, net := of("service.keystone", "k"), of("service.glance", "g"), of("resource.net", "n")
	in := input(of("service.other", "o"))
	in.Removed[keystone.Address], in.Removed[glance.Address] = true, true
	has(in, keystone, glance, net)
	in.States[at("service.other")] = &unit.State{Existence: unit.Absent}
	expect(t, plan.Make(*in), "resource.net delete", "service.glance delete", "service.keystone blocked: resources of the inventory can be reached only through it (1)", "service.other create")
	in = input(of("service.other", "o"))
	in.Removed[keystone.Address] = true
	has(in, keystone)
	in.States[at("service.other")] = &unit.State{Existence: unit.Absent}
	expect(t, plan.Make(*in), "service.keystone delete", "service.other create")
}

func TestWhatOfANodeChanges(t *testing.T) {
	role, profile := unit.Field{Path: "metadata.labels.openstack-compute-node", Before: "enabled"}, unit.Field{Path: "metadata.labels." + unit.SlotLabel, Before: "a", After: "b"}
	more := unit.Field{Path: "metadata.labels.openvswitch", After: "enabled"}
	for _, test := range []struct {
		fields []unit.Field
		want   string
	}{
		{[]unit.Field{role, more}, "before its roles change"},
		{[]unit.Field{profile, more}, "before its slot changes"},
		{[]unit.Field{role, profile}, "before its roles and its slot change"},
	} {
		u := of("node.n", "b")
		in := input(u)
		has(in, of("node.n", "a"))
		in.Compare[unit.Kubernetes] = func(unit.Target, cty.Value, unit.State) unit.Diff {
			return unit.Diff{Action: unit.ActionUpdate, Fields: test.fields}
		}
		in.Hosts = plan.Hosts{Count: map[string]int{"n": 1}}
		p := plan.Make(*in)
		expect(t, p, "node.n blocked: "+test.want)
		if reason := p.Changes[0].Reason; !strings.HasSuffix(reason, test.want) {
			t.Errorf("the reason is %q", reason)
		}
	}
}

// TestALabelThatSomebodyChanged: what gives a node back its role ends nothing that runs there, and neither does a label
// of somebody's own.
func TestALabelThatSomebodyChanged(t *testing.T) {
	for _, test := range []struct {
		field unit.Field
		want  string
	}{
		{unit.Field{Path: "metadata.labels.openstack-compute-node", Before: "disabled", After: unit.LabelEnabled}, "node.n update"},
		{unit.Field{Path: "metadata.labels.openstack-compute-node", Before: "disabled"}, "node.n blocked: instances run there (1)"},
		{unit.Field{Path: "metadata.labels." + unit.SlotLabel, Before: "a", After: unit.LabelEnabled}, "node.n blocked: instances run there (1)"},
		{unit.Field{Path: "metadata.labels.openstack-network-node", Before: "enabled"}, "node.n blocked: instances run there (1)"},
		{unit.Field{Path: "metadata.labels.rack", Before: "a1", After: "b2"}, "node.n update"},
		{unit.Field{Path: "metadata.labels.rack", Before: "a1"}, "node.n update"},
		{unit.Field{Path: "metadata.labels[example.org/openvswitch]", Before: "a1"}, "node.n update"},
		{unit.Field{Path: "metadata.labels.my-" + unit.SlotLabel, Before: "a1"}, "node.n update"},
	} {
		in := input(of("node.n", "b"))
		has(in, of("node.n", "a"))
		in.Compare[unit.Kubernetes] = func(unit.Target, cty.Value, unit.State) unit.Diff {
			return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{test.field}}
		}
		in.Hosts = plan.Hosts{Count: map[string]int{"n": 1}}
		expect(t, plan.Make(*in), test.want)
	}
}

func TestNodesWithInstancesKeepTheirLabels(t *testing.T) {
	was, is := of("node.n", "compute"), of("node.n", "storage")
	more := seen("")
	for _, test := range []struct {
		name  string
		units []unit.Unit
		state unit.State
		hosts plan.Hosts
		asks  bool
		want  string
	}{
		{"no compute service", []unit.Unit{is}, seen("compute"), plan.Hosts{None: true}, true, "node.n update"},
		{"no instances", []unit.Unit{is}, seen("compute"), plan.Hosts{Count: map[string]int{"other": 3}}, true, "node.n update"},
		{"instances", []unit.Unit{is}, seen("compute"), plan.Hosts{Count: map[string]int{"n": 3}}, true, "node.n blocked: instances run there (3)"},
		{"instances by the full name", []unit.Unit{is}, seen("compute"), plan.Hosts{Count: map[string]int{"n.example.org": 1, "nn": 5}}, true, "node.n blocked: instances run there (1)"},
		{"who knows", []unit.Unit{is}, seen("compute"), plan.Hosts{Err: errors.New("nova is down")}, true, "node.n blocked: nova is down"},
		{"a new label", []unit.Unit{is}, more, plan.Hosts{Count: map[string]int{"n": 3}}, false, "node.n update"},
		{"the whole node", []unit.Unit{of("service.x", "x")}, seen("compute"), plan.Hosts{Count: map[string]int{"n": 3}}, true, "node.n blocked: instances run there (3)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(test.units...)
			has(in, was)
			in.States[was.Address] = new(test.state)
			in.States[at("service.x")] = &unit.State{Existence: unit.Absent}
			if p := plan.Make(*in); p.AsksHosts() != test.asks {
				t.Errorf("it asks for the hosts: %t", p.AsksHosts())
			}
			in.Hosts = test.hosts
			p := plan.Make(*in)
			p.Changes = p.Changes[:1]
			expect(t, p, test.want)
		})
	}
}

// A node of several, or one that is not on record yet, is known to Nova by its own name and not by its
// label.
func TestInstancesAreCountedByTheNameOfTheNode(t *testing.T) {
	for _, address := range []string{`node.pool["n"]`, "node.label"} {
		in := input(of(address, "storage"))
		in.States[at(address)] = new(seen("compute"))
		in.Hosts = plan.Hosts{Count: map[string]int{"n": 3}}
		expect(t, plan.Make(*in), address+" blocked: instances run there (3)")
	}
}

// A node's block gets another address, and a moved block says so.
func TestNodesMove(t *testing.T) {
	was, is := of("node.n", "compute"), of(`node.pool["a"]`, "compute")
	in := input(is)
	has(in, was)
	in.Hosts = plan.Hosts{None: true}
	in.States[was.Address], in.States[is.Address] = new(seen("compute")), new(seen("compute"))
	in.Moves = []model.Move{{From: was.Address, To: is.Address}}
	p := plan.Make(*in)
	if c := p.Change(is.Address); p.Change(was.Address) != nil || c.Action != unit.ActionMove || c.From != was.Address {
		t.Errorf("got %+v", c)
	}
}

func TestNothingIsDeletedThatIsSeenInPart(t *testing.T) {
	a, b, s := of("resource.a", "a"), of("resource.b", "b"), of("service.s", "s")
	in := input(a, of("service.t", "t"))
	in.Removed[s.Address] = true
	has(in, a, b, s)
	in.States[at("service.t")] = &unit.State{Existence: unit.Absent}
	in.States[a.Address] = &unit.State{Message: "timeout"}
	// The other driver saw everything: what is deleted there may be.
	expect(t, plan.Make(*in), "resource.a unknown: timeout", "resource.b blocked: observation is incomplete", "service.s delete", "service.t create")
	in = input(of("service.t", "t"))
	has(in, a, b)
	in.States[a.Address] = &unit.State{} // a vanished one that cannot be seen counts as well
	in.States[at("service.t")] = &unit.State{Existence: unit.Absent}
	expect(t, plan.Make(*in), "resource.a blocked: could not be observed", "resource.b blocked: observation is incomplete", "service.t create")
}

// What an engine asks an admitted plan for is what happens, or is told of.
func TestTrim(t *testing.T) {
	same, changed, reported := of("resource.same", "x"), of("resource.changed", "y"), of("resource.reported", "y")
	reported.Drift = unit.DriftReport
	in := input(same, changed, reported)
	has(in, same, changed, reported)
	in.States[changed.Address], in.States[reported.Address] = new(seen("x")), new(seen("x"))
	p := plan.Make(*in)
	if len(p.Changes) != 3 {
		t.Fatalf("%d changes", len(p.Changes))
	}
	p.Changes = append(p.Changes, plan.Change{Address: of("resource.zz", "x").Address, Action: unit.ActionNone, Mends: []unit.Field{{Path: "a"}}})
	p.Trim()
	// What somebody changed is put back by itself, and goes before what is new.
	if mended := p.Change(of("resource.zz", "x").Address); mended == nil || len(mended.Mends) != 1 {
		t.Errorf("what is put back is %+v", mended)
	}
	if p.Change(same.Address) != nil || p.Change(changed.Address).Action != unit.ActionUpdate || !p.Change(reported.Address).Drift || len(p.Changes) != 3 {
		t.Errorf("left are %+v", p.Changes)
	}
}
