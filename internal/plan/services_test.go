package plan_test

import (
	"errors"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// withoutServices is a configuration that no longer has services, and has this instance or not.
func withoutServices(hosts plan.Hosts, wanted bool, services ...unit.Unit) *plan.Input {
	vm := of("resource.vm", "v")
	vm.Spec.(*spec).kind = "instance"
	in := input(of("service.other", "o"))
	in.States[at("service.other")] = &unit.State{Existence: unit.Absent}
	if wanted {
		in.Units = append(in.Units, vm)
	}
	has(in, append(services, vm)...)
	for i := range in.Entries {
		in.Entries[i].Applied = "all of it"
	}
	for _, s := range services {
		in.Removed[s.Address] = true
	}
	in.Hosts = hosts
	return in
}

func TestServicesStayWhileTheirResourcesDo(t *testing.T) {
	nova := of("service.nova", "n")
	expect(t, plan.Make(*withoutServices(plan.Hosts{}, true, nova)),
		"resource.vm none", "service.nova blocked: resources of the inventory can be reached only through it (1)", "service.other create")
	expect(t, plan.Make(*withoutServices(plan.Hosts{}, false, nova)), "resource.vm delete", "service.nova delete", "service.other create")
}

// TestServicesOfKindsToCome: which service keeps what is on record, the language says that the plan is given.
func TestServicesOfKindsToCome(t *testing.T) {
	for _, test := range []struct {
		kind, want string
	}{{"zone", "service.designate blocked: resources of the inventory can be reached only through it (1)"}, {"another", "service.designate delete"}} {
		in := withoutServices(plan.Hosts{}, true, of("service.designate", "d"))
		in.Language = schema.New(schema.Block{Kind: "zone", Class: schema.ClassResource, API: "designate"})
		for i := range in.Entries {
			if e := &in.Entries[i]; e.Class == unit.ClassResource {
				e.Locator.Kind = test.kind
			}
		}
		expect(t, plan.Make(*in), "resource.vm none", test.want, "service.other create")
	}
}

func TestWhatInstancesRunOnStays(t *testing.T) {
	libvirt := of("service.libvirt", "l")
	for _, test := range []struct {
		name   string
		hosts  plan.Hosts
		wanted bool
		want   string
	}{
		{"ours, which stays", plan.Hosts{Count: map[string]int{"n": 1}}, true, "service.libvirt blocked: instances run on it (1): delete them first"},
		{"ours, which goes", plan.Hosts{Count: map[string]int{"n": 1}}, false, "service.libvirt delete"},
		{"somebody's", plan.Hosts{Count: map[string]int{"n": 1, "m": 2}}, false, "service.libvirt blocked: instances run on it (2): delete them first"},
		{"none", plan.Hosts{}, false, "service.libvirt delete"},
		{"no Nova", plan.Hosts{None: true}, false, "service.libvirt delete"},
		{"who knows", plan.Hosts{Err: errors.New("nova is down")}, false, "service.libvirt blocked: nova is down"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := withoutServices(test.hosts, test.wanted, libvirt)
			has(in, of("service.nova", "n"))
			p := plan.Make(*in)
			if test.hosts.None && !p.AsksHosts() {
				t.Error("nobody is asked for the hosts")
			}
			p.Changes = p.Changes[1:2]
			expect(t, p, test.want)
		})
	}
	t.Run("Nova is going", func(t *testing.T) {
		in := withoutServices(plan.Hosts{Err: errors.New("nova is down")}, false, libvirt, of("service.nova", "n"))
		for i := range in.Entries {
			if in.Entries[i].Address == at("service.nova") {
				in.Entries[i].Phase = inventory.Deleting
			}
		}
		expect(t, plan.Make(*in), "resource.vm delete", "service.libvirt delete", "service.nova delete", "service.other create")
	})
	t.Run("Nova is gone", func(t *testing.T) {
		in := withoutServices(plan.Hosts{Err: errors.New("nova is down")}, false, libvirt)
		p := plan.Make(*in)
		p.Changes = p.Changes[1:2]
		expect(t, p, "service.libvirt delete")
	})
	t.Run("never there as a whole", func(t *testing.T) {
		in := withoutServices(plan.Hosts{Err: errors.New("nova is down")}, false, libvirt)
		has(in, of("service.nova", "n"))
		for i := range in.Entries {
			in.Entries[i].Applied = ""
		}
		p := plan.Make(*in)
		p.Changes = p.Changes[1:2]
		expect(t, p, "service.libvirt delete")
	})
}
