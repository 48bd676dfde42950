package plan_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
)

// TestWhatToDoAboutWhatIsNeeded: to take out what needs it is the costliest way.
func TestWhatToDoAboutWhatIsNeeded(t *testing.T) {
	const kept = "it would have to be replaced, but resource.port needs it: "
	net, sub, port := of("resource.net", "n"), of("resource.sub", "s", "resource.net"), of("resource.port", "p", "resource.sub")
	for _, test := range []struct {
		name   string
		net    string // what is wanted of it
		first  bool
		former []inventory.Former
		want   string
	}{
		{"alone", "n", false, nil, kept + "have a new one created first, by lifecycle { create_before_destroy = true } or in a block of its own, or take that out first"},
		{
			"taken back while the one before is still there", "n", false,
			[]inventory.Former{{UID: "u", ID: "id1"}},
			"or take that out first; what it has taken the place of before is still there (id1), is still to be deleted, and is not taken back",
		},
		{"beside what it is in", "!2", true, nil, kept + "what it is in is deleted first, so that create_before_destroy does not help here alone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			wanted := of("resource.sub", "!2", "resource.net")
			wanted.CreateFirst = test.first
			in := input(of("resource.net", test.net), wanted, port)
			has(in, net, sub, port)
			for i := range in.Entries {
				if in.Entries[i].Address == sub.Address {
					in.Entries[i].Former = test.former
				}
			}
			if c := plan.Make(*in).Change(sub.Address); !strings.Contains(c.Reason, test.want) {
				t.Errorf("got %s: %s", c.Action, c.Reason)
			}
		})
	}
	one, service := of("service.a", "a"), of("service.b", "b", "service.a")
	in := input(of("service.a", "!2"), service)
	has(in, one, service)
	if c := plan.Make(*in).Change(one.Address); c.Reason != "it would have to be replaced, but service.b needs it: take that out first" {
		t.Errorf("of a service: %s", c.Reason)
	}
}
