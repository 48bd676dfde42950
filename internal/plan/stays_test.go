package plan_test

import (
	"fmt"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// inOpenStack makes what [of] takes for a service a resource.
func inOpenStack(u unit.Unit) unit.Unit {
	u.Class, u.Spec.(*spec).driver = unit.ClassResource, unit.OpenStack
	return u
}

// TestWhatStaysKeepsWhatItNeeds: its domain stays, and says why; a service that keeps limits of it goes.
func TestWhatStaysKeepsWhatItNeeds(t *testing.T) {
	keystone, domain, other := of("service.keystone", "k"), inOpenStack(of("domain.tenants", "d")), inOpenStack(of("domain.other", "o"))
	project := inOpenStack(of(`project.namespaces["shop"]`, "p", "domain.tenants", "service.keystone", "service.nova"))
	project.Edges[2].Gate = unit.GateKeep
	for _, test := range []struct {
		name    string
		change  func(in *plan.Input, project *inventory.Entry)
		domain  string
		project string
	}{
		{"it stays", nil, "blocked: project.namespaces[\"shop\"] stays and needs it: forget it in a removed block with destroy = false first, or delete it in one", "none: it stays"},
		{"it is not seen", func(in *plan.Input, project *inventory.Entry) { in.States[project.Address] = &unit.State{} }, "blocked: stays and needs it", "none: it stays"},
		{"it is gone", func(in *plan.Input, project *inventory.Entry) {
			in.States[project.Address] = &unit.State{Existence: unit.Absent}
		}, "delete", "forget"},
		{"it is removed", func(in *plan.Input, project *inventory.Entry) {
			in.Removals = plan.Removals{{From: project.Address, Destroy: true}}
		}, "delete", "delete"},
		{"it goes as all else", func(_ *plan.Input, project *inventory.Entry) { project.Stays = false }, "delete", "delete"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(keystone)
			in.Removed[at("service.nova")] = true
			has(in, domain, other, project, keystone, of("service.nova", "n"))
			in.Entries[2].Stays = true
			if test.change != nil {
				test.change(in, &in.Entries[2])
			}
			expect(t, plan.Make(*in), "domain.other delete", "domain.tenants "+test.domain, `project.namespaces["shop"] `+test.project, "service.keystone none", "service.nova delete")
		})
	}
}

// TestNamespacesThatGoStopNothing: what they say of their projects is no loss that the brake is for.
func TestNamespacesThatGoStopNothing(t *testing.T) {
	in := input(of("service.s", "s"))
	has(in, in.Units[0])
	for i := range 12 {
		project, says := inOpenStack(of(fmt.Sprintf("project.namespaces[%q]", fmt.Sprint("n", i)), "p")), of(fmt.Sprintf("system.projects[%q]", fmt.Sprint("n", i)), "s")
		says.Spec.(*spec).kind = unit.KindProjectNamespace
		has(in, project, says)
		in.Entries[len(in.Entries)-2].Stays = true
	}
	in.MaxDeletes = plan.AtMost(1)
	if p := plan.Make(*in); p.Count(unit.ActionDelete) != 12 || p.Count(unit.ActionBlocked) != 0 {
		t.Errorf("%d are deleted, %d blocked", p.Count(unit.ActionDelete), p.Count(unit.ActionBlocked))
	}
}

// TestWhatIsMovedToARuleStays: the namespace may not be chosen yet, or not any more, when that is planned.
func TestWhatIsMovedToARuleStays(t *testing.T) {
	a, s := of("resource.a", "a"), of("service.s", "s")
	in := input(s)
	has(in, a, s)
	in.Moves = []model.Move{{From: a.Address, To: at(`resource.rule["shop"]`), Stays: true}}
	in.States[at(`resource.rule["shop"]`)] = new(seen("a"))
	expect(t, plan.Make(*in), `resource.rule["shop"] move: it stays`, "service.s none")
}
