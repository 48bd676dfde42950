package plan_test

import (
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// node returns a unit that labels a node.
func node(address, host, value string) unit.Unit {
	u := of(address, value)
	u.Spec.(*spec).name = host
	return u
}

// TestAnotherNode: a block whose node is another one takes the labels from the one on record, under the
// rule for that one.
func TestAnotherNode(t *testing.T) {
	was, is := node("node.a", "h1", "compute"), node("node.a", "h2", "compute")
	user := of("resource.user", "u", "node.a")
	for _, test := range []struct {
		name  string
		state unit.State
		hosts plan.Hosts
		want  string
	}{
		{"no compute service", seen(""), plan.Hosts{None: true}, "node.a replace: another node"},
		{"no instances on the old one", seen(""), plan.Hosts{Count: map[string]int{"h2": 3}}, "node.a replace: another node"},
		{"instances on the old one", seen(""), plan.Hosts{Count: map[string]int{"h1": 3}}, "node.a blocked: instances run on h1 (3)"},
		{"who knows", seen(""), plan.Hosts{Err: errors.New("nova is down")}, "node.a blocked: it is unknown whether instances run on h1: nova is down"},
		{"the new one has the labels already", seen("compute"), plan.Hosts{None: true}, "node.a replace: another node"},
		{"the new one cannot be seen", unit.State{Message: "timeout"}, plan.Hosts{None: true}, "node.a unknown: timeout"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(is, user)
			has(in, was, user)
			in.States[is.Address], in.Hosts = new(test.state), test.hosts
			p := plan.Make(*in)
			expect(t, p, test.want, "resource.user none")
			if asks := p.AsksHosts(); asks != (p.Count(unit.ActionReplace) == 1) {
				t.Errorf("it asks for the hosts: %t", asks)
			}
			if c := p.Change(is.Address); c.Wanted == unit.ActionReplace && fieldTexts(c) != "name: h1 -> h2 replace" {
				t.Errorf("fields %s", fieldTexts(c))
			}
		})
	}
}

// TestAnotherNodeThatIsNotThere: a name with a mistake takes no labels away.
func TestAnotherNodeThatIsNotThere(t *testing.T) {
	in := input(node("node.a", "h2", "compute"))
	has(in, node("node.a", "h1", "compute"))
	in.Compare[unit.Kubernetes] = blocks
	expect(t, plan.Make(*in), "node.a blocked: not in the cluster")
}

// TestAnotherBlock: the record of a block whose node has another one now is forgotten.
func TestAnotherBlock(t *testing.T) {
	a, b := node("node.a", "h1", "compute"), node("node.b", "h1", "compute")
	instances := plan.Hosts{Count: map[string]int{"h1": 2}}
	for _, test := range []struct {
		name  string
		units []unit.Unit
		owned []unit.Unit
		want  []string
	}{
		{"the same labels", []unit.Unit{b}, []unit.Unit{a}, []string{"node.a forget: node h1 belongs to node.b now", "node.b none"}},
		{"fewer labels", []unit.Unit{node("node.b", "h1", "storage")}, []unit.Unit{a}, []string{"node.a forget", "node.b blocked: instances run there (2)"}},
		{
			"one that leaves another node for it",
			[]unit.Unit{b},
			[]unit.Unit{a, node("node.b", "h2", "compute")},
			[]string{"node.a forget", "node.b replace"},
		},
		{
			"two that change places",
			[]unit.Unit{node("node.a", "h2", "compute"), b},
			[]unit.Unit{a, node("node.b", "h2", "compute")},
			[]string{"node.a none", "node.b none"},
		},
		{"another node", []unit.Unit{node("node.b", "h2", "compute")}, []unit.Unit{a}, []string{"node.a blocked: instances run there (2)", "node.b none"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(test.units...)
			has(in, test.owned...)
			in.States[b.Address], in.Hosts = new(seen("compute")), instances
			expect(t, plan.Make(*in), test.want...)
		})
	}
}

func blocks(unit.Target, cty.Value, unit.State) unit.Diff {
	return unit.Diff{Action: unit.ActionBlocked, Reason: "it is not in the cluster"}
}

// TestRecordOfANodeThatIsTakenOver: a block leaves the record of its former node only to one that takes
// it over.
func TestRecordOfANodeThatIsTakenOver(t *testing.T) {
	was := []unit.Unit{node("node.a", "h1", "a"), node("node.b", "h2", "b"), node("node.c", "h3", "c")}
	turned := []unit.Unit{node("node.a", "h2", "a"), node("node.b", "h3", "b"), node("node.c", "h1", "c")}
	none, busy := plan.Hosts{None: true}, plan.Hosts{Count: map[string]int{"h1": 1}}
	const held = "which is held back"
	for _, test := range []struct {
		name  string
		hosts plan.Hosts
		seen  []string // on h2, h3, h1
		taken bool     // the record of node.c has h1 already
		want  []string
	}{
		{"all move", none, []string{"b", "c", "a"}, false, []string{"node.a update", "node.b update", "node.c update"}},
		{"one is held back", busy, []string{"b", "c", "a"}, false, []string{"node.a blocked: node h1 belongs to node.c now, " + held, "node.b blocked: node h2 belongs to node.a now, " + held, "node.c blocked: instances run there"}},
		{"there is nothing to change for another", busy, []string{"a", "c", "a"}, false, []string{"node.a blocked: " + held, "node.b blocked: " + held, "node.c blocked: instances run there"}},
		{"one cannot be seen", none, []string{"b", "c", ""}, false, []string{"node.a blocked: " + held, "node.b blocked: " + held, "node.c unknown"}},
		{"it is on record there", busy, []string{"b", "c", "a"}, true, []string{"node.a update", "node.b update", "node.c blocked: instances run there"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(turned...)
			has(in, was...)
			for i, value := range test.seen {
				in.States[turned[i].Address] = new(seen(value))
				if value == "" {
					in.States[turned[i].Address] = &unit.State{Message: "timeout"}
				}
			}
			if test.taken {
				in.Entries[2] = entryOf(turned[2])
			}
			in.Hosts = test.hosts
			expect(t, plan.Make(*in), test.want...)
		})
	}
}

// TestHostsByOtherNames: Nova and Kubernetes name the same machine each in its own way. A host of ours that
// is none of the nodes may be any of those that have the role.
func TestHostsByOtherNames(t *testing.T) {
	const (
		there   = "node.a blocked: instances run there (3)"
		unknown = "node.a blocked: it is unknown whether instances run there: Nova has some on hosts that are no node of the configuration: "
		free    = "node.a update"
	)
	compute, control := []string{unit.ComputeLabel}, []string{unit.ControlPlaneLabel}
	for _, test := range []struct {
		name   string
		node   string
		host   string
		other  string // another node
		labels []string
		nova   bool // is ours
		want   string
	}{
		{"another case", "worker-1", "Worker-1", "w", compute, true, there},
		{"another case in Kubernetes", "Worker-1", "worker-1", "w", compute, true, there},
		{"with a domain", "worker-1", "WORKER-1.Example.org", "w", compute, true, there},
		{"without its domain", "worker-1.example.org", "Worker-1", "w", compute, true, there},
		{"one of two", "worker-1.example.org", "worker-1", "worker-1.example.com", compute, true, there},
		{"the other one by its own name", "worker-1.example.org", "worker-1", "worker-1", compute, true, free},
		{"the other one", "worker-1", "w.example.org", "w", compute, true, free},
		{"another domain", "worker-1.example.org", "worker-1.example.com", "w", compute, true, unknown + "worker-1.example.com (3); write node blocks for those that Kubernetes has, or move or delete these instances, before its roles change"},
		{"another name", "worker-1", "compute01", "w", compute, true, unknown + "compute01 (3)"},
		{"another name, and who knows which roles", "worker-1", "compute01", "w", nil, true, unknown + "compute01 (3)"},
		{"a node that never had the role", "worker-1", "compute01", "w", control, true, free},
		{"a node without labels of ours", "worker-1", "compute01", "w", []string{}, true, free},
		{"bare metal", "worker-1", "nova-compute-ironic-0", "w", compute, true, free},
		{"a node that is called like it", "nova-compute-ironic-0", "nova-compute-ironic-0", "w", compute, true, there},
		{"a Nova of others", "worker-1", "compute01", "w", compute, false, free},
	} {
		t.Run(test.name, func(t *testing.T) {
			is, other := node("node.a", test.node, "storage"), node("node.b", test.other, "x")
			in := input(is, other)
			has(in, node("node.a", test.node, "compute"), other)
			if test.nova {
				has(in, of("service.nova", "n"))
			}
			state := seen("compute")
			state.Labels = test.labels
			in.States[is.Address] = new(state)
			in.Hosts = plan.Hosts{Count: map[string]int{test.host: 3}}
			p := plan.Make(*in)
			p.Changes = p.Changes[:1]
			expect(t, p, test.want)
		})
	}
}

// TestNodesOfANovaThatGoes: once Nova is on its way out nobody can be asked, and nothing is left to run.
func TestNodesOfANovaThatGoes(t *testing.T) {
	for phase, want := range map[inventory.Phase]string{inventory.Owned: "node.a blocked: nova is down", inventory.Deleting: "node.a delete"} {
		in := input(of("service.x", "x"))
		in.Removed[at("service.nova")] = true
		has(in, node("node.a", "h1", "compute"), of("service.nova", "n"), of("service.x", "x"))
		in.Entries[1].Phase = phase
		in.Hosts = plan.Hosts{Err: errors.New("nova is down")}
		p := plan.Make(*in)
		p.Changes = p.Changes[:1]
		expect(t, p, want)
	}
	for removed, want := range map[string]string{"service.horizon": "node.a blocked: nova is down", "service.keystone": "node.a delete"} {
		in := input(of("service.x", "x"))
		in.Removed[at("service.nova")], in.Removed[at(removed)] = true, true
		has(in, node("node.a", "h1", "compute"), of("service.x", "x"))
		in.Hosts = plan.Hosts{Err: errors.New("nova is down")}
		expect(t, plan.Make(*in), want, "service.x none")
	}
	// A cloud that is torn down has all of its services in the configuration.
	in := input()
	has(in, node("node.a", "h1", "compute"))
	in.Removals = plan.Removals{{From: addr.Module{}, Destroy: true}}
	in.Hosts = plan.Hosts{Err: errors.New("nova is down")}
	expect(t, plan.Make(*in), "node.a delete")
}
