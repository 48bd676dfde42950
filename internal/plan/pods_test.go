package plan_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// stopping is a comparison whose updates end the pods of these DaemonSets.
func stopping(stops ...unit.Stop) plan.Compare {
	return func(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
		d := compare(t, desired, s)
		d.Stops = stops
		return d
	}
}

func daemon(name, why string, nodes ...string) unit.Stop {
	return unit.Stop{Object: unit.ObjectRef{APIVersion: "apps/v1", Kind: "DaemonSet", Namespace: "o", Name: name}, Why: why, Nodes: nodes}
}

// TestPodsUnderInstances: a change of a release that ends pods of a DaemonSet waits until no instance
// runs on their nodes.
func TestPodsUnderInstances(t *testing.T) {
	two := []unit.Stop{daemon("a", "is deleted", "w1", "w2"), daemon("b", "leaves nodes", "w2", "w3")}
	var many unit.Stop
	everywhere := map[string]int{}
	for i := range 7 {
		many.Nodes = append(many.Nodes, fmt.Sprintf("w%d", i))
		everywhere[many.Nodes[i]] = 1
	}
	many.Object, many.Why = two[0].Object, "is deleted"
	for _, test := range []struct {
		name    string
		service string
		stops   []unit.Stop
		hosts   plan.Hosts
		want    string // of the service
		asks    bool
	}{
		{"no pods end", "nova", nil, plan.Hosts{Count: map[string]int{"w1": 1}}, "update", false},
		{
			"instances", "nova", two,
			plan.Hosts{Count: map[string]int{"w1": 1, "W2.example.org": 4, "w9": 2}},
			"blocked: pods would end under the instances on w1 (1), w2 (4): DaemonSet o/a is deleted, DaemonSet o/b leaves nodes; " +
				"move or delete these instances first, or undo the change", false,
		},
		{
			"instances under one of them", "libvirt", two,
			plan.Hosts{Count: map[string]int{"w1": 1}},
			"blocked: pods would end under the instances on w1 (1): DaemonSet o/a is deleted; move or delete", false,
		},
		{
			"many hosts", "neutron",
			[]unit.Stop{many},
			plan.Hosts{Count: everywhere},
			"blocked: pods would end under the instances on w0 (1), w1 (1), w2 (1), w3 (1), w4 (1), 2 more: DaemonSet", false,
		},
		{"instances elsewhere", "nova", two, plan.Hosts{Count: map[string]int{"w4": 1, "w1": 0}}, "update", true},
		{"instances on bare metal", "nova", two, plan.Hosts{Count: map[string]int{"nova-compute-ironic-0": 1}}, "update", true},
		{
			"instances who knows where", "ovn", two,
			plan.Hosts{Count: map[string]int{"w4": 1, "compute01": 2}},
			"blocked: DaemonSet o/a is deleted, and it is unknown whether instances run there: Nova has some on hosts that are no node of the configuration: compute01 (2); write node blocks", false,
		},
		{"who knows", "ovn", two, plan.Hosts{Err: errors.New("nova is down")}, "blocked: DaemonSet o/a is deleted, and it is unknown whether instances run there: nova is down", false},
		{"no compute service", "nova", two, plan.Hosts{None: true}, "update", true},
		{"nothing that carries instances", "horizon", two, plan.Hosts{Count: map[string]int{"w1": 1}}, "update", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			service, nova := of("service."+test.service, "new"), of("service.nova", "new")
			in := input(service)
			if test.service != "nova" {
				in.Units = append(in.Units, nova)
			}
			in.Units = append(in.Units, node("node.other", "w4", "x"))
			has(in, in.Units...)
			in.States[service.Address], in.States[nova.Address] = new(seen("old")), new(seen("old"))
			in.Compare[unit.Kubernetes] = func(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
				if t.Address != service.Address {
					return unit.Diff{Action: unit.ActionNone}
				}
				return stopping(test.stops...)(t, desired, s)
			}
			in.Hosts = test.hosts
			p := plan.Make(*in)
			c := p.Change(service.Address)
			if asks := p.AsksHosts(); asks != test.asks {
				t.Errorf("it asks for the hosts: %t", asks)
			}
			if c.NeedsAdmission() != test.asks && c.Action == unit.ActionUpdate {
				t.Errorf("it needs admission: %t", c.NeedsAdmission())
			}
			p.Changes = []plan.Change{*c}
			expect(t, p, service.Address.String()+" "+test.want)
		})
	}
}

// TestPodsBeforeNova: a cloud whose Nova was never there as a whole may be put right without asking it.
func TestPodsBeforeNova(t *testing.T) {
	for _, test := range []struct {
		name  string
		state unit.State
		was   string // applied
		want  string
	}{
		{"never applied", unit.State{Existence: unit.Present, Installed: true, Health: unit.HealthFailed, Observed: "old"}, "", "service.nova update"},
		{"applied, and broken since", unit.State{Existence: unit.Present, Health: unit.HealthFailed, Observed: "old"}, "x", "service.nova blocked: nova is down"},
		{"not on record, and ready", seen("old"), "", "service.nova blocked: nova is down"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(of("service.nova", "new"))
			has(in, in.Units...)
			in.Entries[0].Applied = test.was
			in.States[at("service.nova")] = new(test.state)
			in.Compare[unit.Kubernetes] = stopping(daemon("a", "is deleted", "w1"))
			in.Hosts = plan.Hosts{Err: errors.New("nova is down")}
			expect(t, plan.Make(*in), test.want)
		})
	}
}

// TestFirstSlot: DaemonSets choose nodes by their slot, so the first one waits for the instances as
// another one does.
func TestFirstSlot(t *testing.T) {
	given := []unit.Field{{Path: "metadata.labels[" + unit.SlotLabel + "]", After: "1"}}
	changed := []unit.Field{{Path: "metadata.labels[" + unit.SlotLabel + "]", Before: "1", After: "2"}}
	renamed := []unit.Field{{Path: "metadata.labels[" + unit.ProfileLabel + "]", Before: "dense", After: "gpu"}}
	role := []unit.Field{{Path: "metadata.labels[openstack-compute-node]", After: "enabled"}}
	busy := plan.Hosts{Count: map[string]int{"n": 2}}
	for _, test := range []struct {
		name   string
		fields []unit.Field
		hosts  plan.Hosts
		nova   bool
		want   string
	}{
		{"given under instances", given, busy, true, "node.a blocked: instances run there (2): move or delete them before its slot changes"},
		{"given without instances", given, plan.Hosts{Count: map[string]int{"other": 2}}, true, "node.a update"},
		{"given, and who knows", given, plan.Hosts{Err: errors.New("nova is down")}, true, "node.a blocked: nova is down"},
		{"given before there is Nova", given, plan.Hosts{Err: errors.New("nova is down")}, false, "node.a update"},
		{"changed", changed, busy, true, "node.a blocked: before its slot changes"},
		{"a first role", role, busy, true, "node.a update"},
		{"another profile with the same slot", renamed, busy, true, "node.a update"},
		{"both, as of a node that has come back: no pod ran there without the role", append(role, given...), busy, true, "node.a update"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(of("node.a", "x"))
			has(in, append(in.Units, node("node.other", "other", "x"))...)
			if test.nova {
				has(in, of("service.nova", "v"))
			}
			in.Compare[unit.Kubernetes] = func(unit.Target, cty.Value, unit.State) unit.Diff {
				return unit.Diff{Action: unit.ActionUpdate, Fields: test.fields}
			}
			in.Hosts = test.hosts
			p := plan.Make(*in)
			p.Changes = p.Changes[:1]
			expect(t, p, test.want)
		})
	}
}

// TestNewSlot: which nodes can wait for their slot.
func TestNewSlot(t *testing.T) {
	slot, other := unit.Field{Path: "metadata.labels[" + unit.SlotLabel + "]", Before: "1", After: "2"}, unit.Field{Path: "metadata.labels.x", After: "y"}
	control := unit.Field{Path: "metadata.labels." + unit.ControlPlaneLabel, After: unit.LabelEnabled}
	for _, test := range []struct {
		kind   string
		action unit.Action
		fields []unit.Field
		want   string
	}{
		{unit.KindNode, unit.ActionUpdate, []unit.Field{other, slot}, "2"},
		{unit.KindNode, unit.ActionUpdate, []unit.Field{other}, ""},
		{unit.KindNode, unit.ActionUpdate, []unit.Field{slot, control}, ""},
		{unit.KindNode, unit.ActionUpdate, []unit.Field{control, slot}, ""},
		{unit.KindNode, unit.ActionBlocked, []unit.Field{slot}, ""},
		{"release", unit.ActionUpdate, []unit.Field{slot}, ""},
	} {
		c := plan.Change{Kind: test.kind, Action: test.action, Fields: test.fields}
		if got := c.NewSlot(); got != test.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
