package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// placed is a unit of a release in a namespace.
type placed struct {
	spec
	namespace string
}

func (p *placed) Locator() unit.Locator {
	l := p.spec.Locator()
	l.Namespace = p.namespace
	return l
}

// TestWithoutRecord: without the record of the deployment a cloud is still not made another one.
func TestWithoutRecord(t *testing.T) {
	was := inventory.Deployment{Cloud: "demo", Release: "2026.1", Region: "R", Namespace: "openstack"}
	upgrade, elsewhere := was, was
	upgrade.Release, elsewhere.Namespace = "2025.1", "elsewhere"
	service := func(address, value, namespace string) unit.Unit {
		u := of(address, value)
		u.Spec = &placed{*u.Spec.(*spec), namespace}
		return u
	}
	k, n := service("service.keystone", "k", "openstack"), service("service.nova", "n", "openstack")
	k2, moved := service("service.keystone", "k2", "openstack"), service("service.keystone", "k", "elsewhere")
	said := func(u unit.Unit) inventory.Entry {
		e := entryOf(u)
		e.Deployment = &was
		return e
	}
	begun := entryOf(k)
	begun.Phase, begun.Applied = inventory.Intent, ""
	found := seen("k")
	found.Applied = k.Spec.Digest()
	foreign := found
	foreign.Owned = false
	for _, test := range []struct {
		name    string
		is      inventory.Deployment
		units   []unit.Unit
		entries []inventory.Entry
		state   unit.State // of Keystone
		want    diag.Code
		text    string
	}{
		{"a first deployment", was, []unit.Unit{k}, nil, unit.State{Existence: unit.Absent}, "", ""},
		{"over a release of others", was, []unit.Unit{k2}, nil, foreign, "", ""},
		{"the releases say the same", was, []unit.Unit{k2}, []inventory.Entry{said(k)}, seen("k"), "", ""},
		{"the releases say another release", upgrade, []unit.Unit{k2}, []inventory.Entry{said(k)}, seen("k"), plan.CodeUpgrade, `release cannot change from "2026.1" to "2025.1"`},
		{"the releases say another namespace", elsewhere, []unit.Unit{moved}, []inventory.Entry{said(k)}, seen("k"), plan.CodeImmutable, `namespace cannot change from "openstack" to "elsewhere"`},
		{"only one of them says it", upgrade, []unit.Unit{k, n}, []inventory.Entry{entryOf(k), said(n)}, seen("k"), plan.CodeUpgrade, "release"},
		{"they say nothing, and nothing changes", was, []unit.Unit{k, n}, []inventory.Entry{entryOf(k)}, seen("k"), "", ""},
		{"they say nothing, and one is only on record", was, []unit.Unit{k}, []inventory.Entry{entryOf(k), entryOf(n)}, seen("k"), "", ""},
		{"they say nothing but the namespace", elsewhere, []unit.Unit{moved}, []inventory.Entry{entryOf(k)}, seen("k"), plan.CodeImmutable, "namespace"},
		{"they say nothing, and one changes", was, []unit.Unit{k2, n}, []inventory.Entry{entryOf(k), entryOf(n)}, seen("k"), plan.CodeNoRecord, "applied last to service.keystone."},
		{"they say nothing, and none is wanted", was, []unit.Unit{k}, []inventory.Entry{entryOf(n)}, unit.State{Existence: unit.Absent}, plan.CodeNoRecord, "applied last to service.nova."},
		{"one has only begun", was, []unit.Unit{k}, []inventory.Entry{begun}, seen("k"), plan.CodeNoRecord, "service.keystone"},
		{"one has only begun, and is as it should be", was, []unit.Unit{k}, []inventory.Entry{begun}, found, "", ""},
		{"nothing is on record, and it is as it should be", was, []unit.Unit{k}, nil, found, "", ""},
		{"nothing is on record, and it changes", was, []unit.Unit{k2}, nil, found, plan.CodeNoRecord, "service.keystone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(test.units...)
			in.Deployment, in.Entries = test.is, test.entries
			in.States[n.Address], in.States[k.Address] = &unit.State{Existence: unit.Absent}, new(test.state)
			in.Compare[unit.Kubernetes] = func(unit.Target, cty.Value, unit.State) unit.Diff { return unit.Diff{Action: unit.ActionNone} }
			in.Ranges[""] = diag.Range{File: "cloud.hcl"}
			refused := plan.Make(*in).Refused
			if test.want == "" {
				if len(refused) > 0 {
					t.Errorf("refused: %v", refused)
				}
				return
			}
			if len(refused) != 1 || refused[0].Code != test.want || refused[0].Subject.File != "cloud.hcl" || refused[0].Hint == "" ||
				!slices.ContainsFunc([]string{refused[0].Summary, refused[0].Detail}, func(s string) bool { return strings.Contains(s, test.text) }) {
				t.Errorf("got %v", refused)
			}
		})
	}
}
