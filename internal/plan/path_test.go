package plan_test

import (
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestThePathStaysOpen: what OpenStack is reached through is not brought to a stand while something of ours
// is in there.
func TestThePathStaysOpen(t *testing.T) {
	for _, test := range []struct {
		name      string
		closes    string
		was, is   string
		resources bool
		want      string
	}{
		{"nothing would run", "with 0 replicas of api", "2", "0", true, "service.keystone blocked: with 0 replicas of api nothing of it would run, and resources of the inventory can be reached only through it (1)"},
		{"nothing would run, and nothing is there", "with 0 replicas of api", "2", "0", false, "service.keystone update"},
		{"nothing runs", "with 0 replicas of api", "0", "0", true, "service.keystone none"},
		{"less runs", "", "2", "1", true, "service.keystone update"},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, r := of("service.keystone", test.is), of("resource.r", "r")
			u.Closes = test.closes
			in := input(u)
			has(in, u)
			in.States[u.Address] = new(seen(test.was))
			if test.resources {
				in.Units = append(in.Units, r)
				has(in, r)
			}
			c := plan.Make(*in).Change(u.Address)
			expect(t, &plan.Plan{Changes: []plan.Change{*c}}, test.want)
			if closes := c.Closes != ""; closes != (test.closes != "" && test.was != test.is) || closes && !c.NeedsAdmission() {
				t.Errorf("it closes the way: %q, and needs admission: %t", c.Closes, c.NeedsAdmission())
			}
		})
	}
}

// TestTheLastNodeOfTheControlPlane: the APIs need a place to run while something of ours is in there.
func TestTheLastNodeOfTheControlPlane(t *testing.T) {
	const kept = "node.a blocked: no node of the control plane would be left, and resources of the inventory can be reached only through what runs there (1): take them out first, or give another node the role"
	role := map[string]string{unit.ControlPlaneLabel: "enabled"}
	labelled := func(address, name string, labels map[string]string) unit.Unit {
		u := node(address, name, "x")
		u.Spec = &unit.Node{Name: name, Labels: labels}
		return u
	}
	loses := []unit.Field{{Path: "metadata.labels[" + unit.ControlPlaneLabel + "]", Before: "enabled"}}
	network := []unit.Field{{Path: "metadata.labels[openstack-network-node]", Before: "enabled"}}
	a, another := labelled("node.a", "a", nil), labelled("node.b", "b", role)
	for _, test := range []struct {
		name     string
		units    []unit.Unit
		fields   []unit.Field // of node.a
		seen     []string     // the labels that it has
		other    unit.Existence
		keystone bool
		resource bool
		want     string
	}{
		{"the last one", []unit.Unit{a}, loses, nil, unit.Absent, true, true, kept},
		{"another role of it", []unit.Unit{a}, network, nil, unit.Absent, true, true, "node.a update"},
		{"one of two", []unit.Unit{a, another}, loses, nil, unit.Present, true, true, "node.a update"},
		{"the other one is not in the cluster", []unit.Unit{a, another}, loses, nil, unit.Absent, true, true, kept},
		{"its block is taken away", nil, nil, []string{unit.ControlPlaneLabel}, unit.Absent, true, true, kept},
		{"the block of a compute node is taken away", nil, nil, []string{unit.ComputeLabel}, unit.Absent, true, true, "node.a delete"},
		{"a block leaves it for another one", []unit.Unit{labelled("node.a", "c", nil)}, nil, nil, unit.Absent, true, true, kept},
		{"a block takes the role along", []unit.Unit{labelled("node.a", "c", role)}, nil, nil, unit.Absent, true, true, "node.a replace"},
		{"nothing is there", []unit.Unit{a}, loses, nil, unit.Absent, true, false, "node.a update"},
		{"APIs of others", []unit.Unit{a}, loses, nil, unit.Absent, false, true, "node.a update"},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := of("service.x", "x")
			in := input(append(test.units, x)...)
			has(in, node("node.a", "a", "x"))
			in.States[x.Address], in.States[another.Address] = &unit.State{Existence: unit.Absent}, &unit.State{Existence: test.other}
			state := seen("x")
			state.Labels = test.seen
			in.States[a.Address] = new(state)
			if test.keystone {
				has(in, of("service.keystone", "k"))
			}
			if test.resource {
				has(in, of("resource.r", "r"))
			}
			in.Compare[unit.Kubernetes] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if target.Address == a.Address && test.fields != nil {
					return unit.Diff{Action: unit.ActionUpdate, Fields: test.fields}
				}
				return unit.Diff{Action: unit.ActionNone}
			}
			p := plan.Make(*in)
			p.Changes = p.Changes[:1]
			expect(t, p, test.want)
		})
	}
}

// TestNobodyToAskAboutAControlPlane: a node that was never labelled for compute waits for no answer of Nova.
func TestNobodyToAskAboutAControlPlane(t *testing.T) {
	for label, want := range map[string]string{unit.ControlPlaneLabel: "node.a update", unit.ComputeLabel: "node.a blocked: nova is down"} {
		u := of("node.a", "storage")
		in := input(u)
		has(in, of("node.a", "control"))
		state := seen("control")
		state.Labels = []string{label}
		in.States[u.Address] = new(state)
		in.Hosts = plan.Hosts{Err: errors.New("nova is down")}
		expect(t, plan.Make(*in), want)
	}
}
