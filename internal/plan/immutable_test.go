package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestFixedAttributes(t *testing.T) {
	size := func(text string) map[string]string { return map[string]string{"storage_size": text} }
	for _, test := range []struct {
		name    string
		was, is map[string]string
		seen    unit.Existence
		want    string
	}{
		{"the same", size("5Gi"), size("5Gi"), unit.Present, ""},
		{"another one", size("5Gi"), size("6Gi"), unit.Present, `from "5Gi" to "6Gi"`},
		{"the same in other words", size("1Gi"), size("1024Mi"), unit.Present, ""},
		{"nearly the same", size("1Gi"), size("1G"), unit.Present, `from "1Gi" to "1G"`},
		{"no quantity", size("(sensitive)"), size("1Gi"), unit.Present, `to "1Gi"`},
		{"written later", size(""), size("6Gi"), unit.Present, `from nothing to "6Gi"`},
		{"taken away", size("5Gi"), size(""), unit.Present, `from "5Gi" to nothing`},
		{"who knows whether it is there", size("5Gi"), size("6Gi"), unit.Unknown, `from "5Gi" to "6Gi"`},
		{"it is not there", size("5Gi"), size("6Gi"), unit.Absent, ""},
		{"recorded by an older program", nil, size("6Gi"), unit.Present, ""},
		{"nothing is fixed any more", size("5Gi"), nil, unit.Present, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := of("service.mariadb", "m")
			u.Fixed, u.Range = test.is, diag.Range{File: "block.hcl"}
			in := input(u)
			has(in, u)
			in.Entries[0].Fixed = test.was
			in.States[u.Address] = &unit.State{Existence: test.seen, Installed: true, Health: unit.HealthReady, Owned: true, Observed: "m"}
			for place, ranges := range map[string]map[string]diag.Range{
				"block.hcl": {}, "line.hcl": {plan.FixedAt("service.mariadb", "storage_size"): {File: "line.hcl"}},
			} {
				in.Ranges = ranges
				refused := plan.Make(*in).Refused
				if test.want == "" {
					if len(refused) > 0 {
						t.Errorf("refused: %v", refused)
					}
					continue
				}
				if len(refused) != 1 || refused[0].Code != plan.CodeImmutable || refused[0].Address != u.Address || refused[0].Subject.File != place ||
					!strings.HasSuffix(refused[0].Summary, test.want) || !strings.HasPrefix(refused[0].Summary, "storage_size of mariadb ") {
					t.Errorf("got %v", refused)
				}
			}
		})
	}
}

// TestFixedNetwork: a chart that has the network backend of the cloud keeps it, also where the record says nothing of it, as
// there was no other one then.
func TestFixedNetwork(t *testing.T) {
	other := func(name string) map[string]string { return map[string]string{unit.FixedNetwork: name} }
	for name, c := range map[string]struct {
		was, is map[string]string
		want    string
	}{
		"as the cloud":                     {other(""), other(""), ""},
		"another one":                      {other("ovn"), other("ovn"), ""},
		"from the cloud's":                 {other(""), other("ovn"), `network.backend of libvirt cannot change from nothing to "ovn"`},
		"to the cloud's":                   {other("ovn"), other(""), `network.backend of libvirt cannot change from "ovn" to nothing`},
		"recorded by an older program":     {nil, other(""), ""},
		"and another one in the same step": {nil, other("ovn"), `network.backend of libvirt cannot change from nothing to "ovn"`},
	} {
		u := of("service.libvirt", "m")
		u.Fixed, u.Range = c.is, diag.Range{File: "block.hcl"}
		in := input(u)
		has(in, u)
		in.Entries[0].Fixed = c.was
		in.States[u.Address] = &unit.State{Existence: unit.Present, Installed: true, Health: unit.HealthReady, Owned: true, Observed: "m"}
		var got string
		if refused := plan.Make(*in).Refused; len(refused) > 0 {
			got = refused[0].Summary
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestFixedNetworkMended: a chart that never came up with another backend gets that of the cloud.
func TestFixedNetworkMended(t *testing.T) {
	for phase, refused := range map[inventory.Phase]int{inventory.Intent: 0, inventory.Owned: 1} {
		u := of("service.libvirt", "m")
		u.Fixed = map[string]string{unit.FixedNetwork: ""}
		in := input(u)
		has(in, u)
		in.Entries[0].Fixed, in.Entries[0].Phase = map[string]string{unit.FixedNetwork: "neither"}, phase
		in.States[u.Address] = &unit.State{Existence: unit.Present, Installed: true, Owned: true, Observed: "m"}
		if got := plan.Make(*in).Refused; len(got) != refused {
			t.Errorf("%s: %v", phase, got)
		}
	}
}

// TestMembers wants as many members to stay as decide, whatever else is fixed of the unit.
func TestMembers(t *testing.T) {
	const servers = unit.FixedMembers + "server"
	for _, c := range []struct {
		was, is, want string
	}{
		{"3", "3", ""},
		{"3", "5", ""},
		{"1", "3", ""},
		{"5", "3", ""},
		{"0", "3", ""},
		{"", "3", ""},
		{"3", "1", `replicas.server of rabbitmq cannot change from "3" to "1"`},
		{"7", "3", `replicas.server of rabbitmq cannot change from "7" to "3"`},
		{"3", "0", `replicas.server of rabbitmq cannot change from "3" to "0"`},
		{"3", "(sensitive)", `replicas.server of rabbitmq cannot change from "3" to "(sensitive)"`},
	} {
		u := of("service.rabbitmq", "m")
		u.Fixed, u.Range = map[string]string{servers: c.is}, diag.Range{File: "block.hcl"}
		in := input(u)
		has(in, u)
		if c.was != "" {
			in.Entries[0].Fixed = map[string]string{servers: c.was}
		}
		in.States[u.Address] = &unit.State{Existence: unit.Present, Installed: true, Health: unit.HealthReady, Owned: true, Observed: "m"}
		var told []string
		for _, d := range plan.Make(*in).Refused {
			told = append(told, d.Summary)
		}
		if got := strings.Join(told, "; "); got != c.want {
			t.Errorf("from %q to %q: %q, want %q", c.was, c.is, got, c.want)
		}
	}
}

// TestWhatIsKept wants what may be added to be kept once it is there.
func TestWhatIsKept(t *testing.T) {
	const a, b = unit.FixedKept + "a", unit.FixedKept + "b"
	for name, c := range map[string]struct {
		was, is map[string]string
		want    string
	}{
		"the same":        {map[string]string{a: "x"}, map[string]string{a: "x"}, ""},
		"another one":     {map[string]string{a: "x"}, map[string]string{a: "x", b: "y"}, ""},
		"moved":           {map[string]string{a: "x"}, map[string]string{a: "y"}, `backend.a of cinder cannot change from "x" to "y"`},
		"renamed":         {map[string]string{a: "x"}, map[string]string{b: "x"}, `backend.a of cinder cannot change from "x" to nothing`},
		"both are gone":   {map[string]string{b: "y", a: "x"}, map[string]string{"other": ""}, `backend.a of cinder cannot change from "x" to nothing; backend.b of cinder cannot change from "y" to nothing`},
		"of an old entry": {nil, map[string]string{a: "x"}, ""},
	} {
		u := of("service.cinder", "m")
		u.Fixed, u.Range = c.is, diag.Range{File: "block.hcl"}
		in := input(u)
		has(in, u)
		in.Entries[0].Fixed = c.was
		in.States[u.Address] = &unit.State{Existence: unit.Present, Installed: true, Health: unit.HealthReady, Owned: true, Observed: "m"}
		var got []string
		for _, d := range plan.Make(*in).Refused {
			got = append(got, d.Summary)
			if !strings.Contains(d.Hint, "lost to Cinder") || d.Subject.File != "block.hcl" {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: got %v, want %s", name, got, c.want)
		}
	}
}

// TestFixedAttributesOfCharts wants a chart alone to be held back by its name, also while nothing is there
// that has the new one: the old release would stay.
func TestFixedAttributesOfCharts(t *testing.T) {
	u, other := of("chart.a", "m"), of("chart.b", "m")
	u.Class, u.Fixed = unit.ClassWorkload, map[string]string{"name": "new"}
	in := input(u, other)
	has(in, u)
	in.Entries[0].Fixed = map[string]string{"name": "old"}
	in.States[other.Address] = &unit.State{Existence: unit.Absent, Observed: ""}
	for _, existence := range []unit.Existence{unit.Present, unit.Absent} {
		in.States[u.Address] = &unit.State{Existence: existence, Installed: true, Health: unit.HealthReady, Owned: true, Observed: "m"}
		p := plan.Make(*in)
		held, free := p.Change(u.Address), p.Change(other.Address)
		if len(p.Refused) > 0 || held.Action != unit.ActionBlocked || !strings.HasPrefix(held.Reason, `name cannot change from "old" to "new"`) {
			t.Errorf("%s: refused %v, %+v", existence, p.Refused, held)
		}
		if free.Action != unit.ActionCreate {
			t.Errorf("%s: the other one: %+v", existence, free)
		}
	}
}

// TestWhatIsTakenOutOfAManifest has the deletion of its objects held back by all that holds back deletions.
func TestWhatIsTakenOutOfAManifest(t *testing.T) {
	pruning := func(n int, class unit.Class, protected bool) *plan.Input {
		u := of("manifest.a", "m")
		u.Class, u.PreventDestroy = class, protected
		in := input(u)
		has(in, u)
		in.Compare[unit.Kubernetes] = func(unit.Target, cty.Value, unit.State) unit.Diff {
			return unit.Diff{Action: unit.ActionUpdate, Prunes: n, Fields: []unit.Field{{Path: "ConfigMap a", Before: "present"}}}
		}
		return in
	}
	change := func(in *plan.Input) *plan.Change { return plan.Make(*in).Change(at("manifest.a")) }
	if c := change(pruning(3, unit.ClassWorkload, false)); c.Action != unit.ActionUpdate || !c.NeedsAdmission() {
		t.Errorf("a few: %+v", c)
	}
	if c := change(pruning(plan.DefaultMaxDeletes+1, unit.ClassWorkload, false)); c.Action != unit.ActionBlocked || !strings.Contains(c.Reason, "--max-deletes=11") {
		t.Errorf("many: %+v", c)
	}
	// A share is one of the objects, of which a block may have more than there are blocks.
	for share, action := range map[int]unit.Action{100: unit.ActionUpdate, 80: unit.ActionUpdate, 79: unit.ActionBlocked} {
		in := pruning(4, unit.ClassWorkload, false)
		in.Entries[0].Class, in.Entries[0].Locator.Kind, in.Entries[0].Locator.Objects = unit.ClassWorkload, unit.KindObjects, make([]unit.ObjectRef, 5)
		in.MaxDeletes = plan.Limits{All: &plan.Limit{Count: share, Share: true}}
		if c := change(in); c.Action != action {
			t.Errorf("4 of 5 with %d%%: %s, %s", share, c.Action, c.Reason)
		}
	}
	if c := change(pruning(plan.DefaultMaxDeletes+1, unit.ClassSystem, false)); c.Action != unit.ActionUpdate || c.NeedsAdmission() {
		t.Errorf("many of what we make ourselves: %+v", c)
	}
	if c := change(pruning(1, unit.ClassWorkload, true)); c.Action != unit.ActionBlocked || !strings.HasPrefix(c.Reason, "prevent_destroy forbids") {
		t.Errorf("protected: %+v", c)
	}
	blind := pruning(1, unit.ClassWorkload, false)
	other := of("service.b", "m")
	blind.Units = append(blind.Units, other)
	has(blind, other)
	blind.States[other.Address] = &unit.State{}
	if c := change(blind); c.Action != unit.ActionBlocked || !strings.Contains(c.Reason, "incomplete") {
		t.Errorf("while not all can be seen: %+v", c)
	}
}

// TestVersions has the version of what keeps data go up only, and by one major version at a time.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		was, is, want, detail, hint string
		seen                        unit.Existence
	}{
		{"11.4", "11.8", "", "", "", unit.Present},
		{"10.11", "11.4", "", "", "", unit.Present},
		{"", "11.4", "", "", "", unit.Present},
		{"11.4", "", "", "", "", unit.Present},
		{"11.8", "11.4", `version of mariadb cannot change from "11.8" to "11.4"`, "an older version", "put the old value back", unit.Present},
		{"11.8", "11.4", `version of mariadb cannot change from "11.8" to "11.4"`, "an older version", "put the old value back", unit.Unknown},
		{"11.8", "11.4", "", "", "", unit.Absent},
		{"10.11", "12.1", `version of mariadb cannot change from "10.11" to "12.1"`, "one major version after the other", "the next major one first", unit.Present},
	} {
		u := of("service.mariadb", "m")
		u.Fixed, u.Range = map[string]string{unit.FixedVersion: c.is}, diag.Range{File: "block.hcl"}
		in := input(u)
		has(in, u)
		in.Entries[0].Fixed = map[string]string{unit.FixedVersion: c.was}
		in.Ranges = map[string]diag.Range{plan.FixedAt("service.mariadb", "version"): {File: "line.hcl"}}
		in.States[u.Address] = &unit.State{Existence: c.seen, Installed: true, Health: unit.HealthReady, Owned: true, Observed: "m"}
		refused := plan.Make(*in).Refused
		if c.want == "" {
			if len(refused) > 0 {
				t.Errorf("from %q to %q, %s: %v", c.was, c.is, c.seen, refused)
			}
			continue
		}
		if len(refused) != 1 || refused[0].Summary != c.want || !strings.Contains(refused[0].Detail, c.detail) || !strings.Contains(refused[0].Hint, c.hint) || refused[0].Subject.File != "line.hcl" {
			t.Errorf("from %q to %q, %s: %+v", c.was, c.is, c.seen, refused)
		}
	}
}
