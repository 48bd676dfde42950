package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func anyAddress(t *testing.T, s string) addr.Address {
	t.Helper()
	a, err := addr.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// moves reads "from to" pairs.
func moves(t *testing.T, pairs ...string) []model.Move {
	t.Helper()
	var list []model.Move
	for _, pair := range pairs {
		from, to, _ := strings.Cut(pair, " ")
		list = append(list, model.Move{From: anyAddress(t, from), To: anyAddress(t, to)})
	}
	return list
}

func TestRelocate(t *testing.T) {
	for _, test := range []struct {
		name    string
		entries []string // "address", or "address uid"; "intent" of one that was to be created
		moves   []string
		wanted  []string
		want    []string // "address <- records", or "address held", or "address yields"
	}{
		{"nothing to move", []string{"resource.a", "resource.b"}, []string{"resource.x resource.a"}, nil, []string{"resource.a", "resource.b"}},
		{"nothing to move, and not in order", []string{"resource.b", "resource.a"}, nil, nil, []string{"resource.a", "resource.b"}},
		{"one", []string{"resource.a"}, []string{"resource.a resource.b"}, nil, []string{"resource.b <- resource.a"}},
		{"a chain", []string{"resource.a"}, []string{"resource.b resource.c", "resource.a resource.b"}, nil, []string{"resource.c <- resource.a"}},
		{"a chain from its middle", []string{"resource.b"}, []string{"resource.b resource.c", "resource.a resource.b"}, nil, []string{"resource.c <- resource.b"}},
		{
			"one key besides the others",
			[]string{`resource.a["x"]`, `resource.a["y"]`},
			[]string{"resource.a resource.b", `resource.a["x"] resource.c`},
			nil,
			[]string{`resource.b["y"] <- resource.a["y"]`, "resource.c <- resource.a[\"x\"]"},
		},
		{
			"one resource besides its module",
			[]string{"module.m.resource.a", "module.m.resource.b"},
			[]string{"module.m module.n", "module.m.resource.a resource.a"},
			nil,
			[]string{"resource.a <- module.m.resource.a", "module.n.resource.b <- module.m.resource.b"},
		},
		{"occupied", []string{"resource.a", "resource.b"}, []string{"resource.a resource.b"}, nil, []string{"resource.a held", "resource.b"}},
		{"two to one", []string{`resource.a["x"]`, "resource.c"}, []string{"resource.a resource.b", `resource.c resource.b["x"]`}, nil, []string{`resource.b["x"] <- resource.a["x"]`, "resource.c held"}},
		{"behind one that is held", []string{"resource.a", "resource.b", "resource.c"}, []string{"resource.a resource.b", "resource.b resource.c"}, nil, []string{"resource.a held", "resource.b held", "resource.c"}},
		{"in a circle", []string{`resource.a["x"]`}, []string{"resource.a resource.b", `resource.b["x"] resource.a["x"]`}, nil, []string{`resource.a["x"]`}},
		{"what never was gives way", []string{"resource.a", "resource.b b intent"}, []string{"resource.a resource.b"}, []string{"resource.b"}, []string{"resource.b <- resource.a", "resource.b yields"}},
		{"what never was stays where nothing comes", []string{"resource.a", "resource.b b intent"}, nil, nil, []string{"resource.a", "resource.b"}},
		{"two to the place of what never was", []string{`resource.a["x"]`, `resource.b["x"] b intent`, "resource.c"}, []string{"resource.a resource.b", `resource.c resource.b["x"]`}, nil, []string{`resource.b["x"] <- resource.a["x"]`, "resource.c held", `resource.b["x"] yields`}},
		{"what never was takes no place", []string{"resource.a a intent", "resource.b"}, []string{"resource.a resource.b"}, nil, []string{"resource.a held", "resource.b"}},
		{"what never was and cannot move takes one", []string{"resource.a", "resource.b b intent", "resource.c"}, []string{"resource.a resource.b", "resource.b resource.c"}, nil, []string{"resource.a held", "resource.b held", "resource.c"}},
		{"half way, and about to be created", []string{"resource.a one intent", "resource.b one intent"}, []string{"resource.a resource.b"}, nil, []string{"resource.b <- resource.a"}},
		{"half way", []string{"resource.a one", "resource.b one"}, []string{"resource.a resource.b"}, nil, []string{"resource.b <- resource.a"}},
		{"half way, and on", []string{"resource.a one", "resource.b one"}, []string{"resource.a resource.b", "resource.b resource.c"}, nil, []string{"resource.c <- resource.a resource.b"}},
		{"half way, and the block is gone", []string{"resource.a one", "resource.b one"}, nil, []string{"resource.b"}, []string{"resource.b <- resource.a"}},
		{"half way, and back", []string{"resource.a one", "resource.b one"}, nil, []string{"resource.a"}, []string{"resource.a <- resource.b"}},
		{"half way, and both are gone", []string{"resource.a one", "resource.b one"}, nil, nil, []string{"resource.a <- resource.b"}},
		{"half way, and both are there", []string{"resource.a one", "resource.b one"}, nil, []string{"resource.a", "resource.b"}, []string{"resource.a <- resource.b"}},
		{"half way, and both are moved", []string{"resource.a one", "resource.b one"}, []string{"resource.a resource.c", "resource.b resource.d"}, []string{"resource.d"}, []string{"resource.d <- resource.a resource.b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var entries []inventory.Entry
			for _, text := range test.entries {
				text, intent := strings.CutSuffix(text, " intent")
				address, uid, _ := strings.Cut(text, " ")
				e := entryOf(of(address, "x"))
				if e.Locator.Driver, e.ID = unit.OpenStack, "id"; intent {
					e.Phase, e.ID = inventory.Intent, ""
				}
				if uid != "" {
					e.UID = uid
				}
				entries = append(entries, e)
			}
			r := plan.Relocate(entries, moves(t, test.moves...), func(a addr.Object) bool { return slices.Contains(test.wanted, a.String()) })
			var got []string
			for _, e := range r.Entries {
				text := e.Address.String()
				for i, record := range r.From[e.Address] {
					if i == 0 {
						text += " <-"
					}
					text += " " + record.String()
					if r.To[record] != e.Address {
						t.Errorf("%s is said to go to %s", record, r.To[record])
					}
				}
				if r.Held[e.Address] != "" {
					text += " held"
				}
				got = append(got, text)
			}
			for a := range r.Yields {
				got = append(got, a.String()+" yields")
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestRelocateFollowsEdges(t *testing.T) {
	user := entryOf(of("resource.user", "u", "resource.a", "resource.other"))
	user.Edges = append(user.Edges, inventory.Edge{To: at("resource.b"), Until: unit.Ready})
	before := fmt.Sprint(user.Edges)
	r := plan.Relocate([]inventory.Entry{entryOf(of("resource.a", "a")), user}, moves(t, "resource.a resource.b"), func(addr.Object) bool { return false })
	if got := fmt.Sprint(r.Entries[1].Edges); got != "[{resource.b ready} {resource.other ready}]" {
		t.Errorf("the edges are %s", got)
	}
	if fmt.Sprint(user.Edges) != before {
		t.Error("the entry itself was changed")
	}
}

func TestMakeMoves(t *testing.T) {
	a, other, user := of("resource.a", "a"), of("resource.other", "o"), of("resource.user", "u", "resource.a")
	for _, test := range []struct {
		name  string
		moves []string
		units []unit.Unit
		want  []string
		from  string
	}{
		{"alone", []string{"resource.a resource.b"}, []unit.Unit{of("resource.b", "a"), other, user}, []string{"resource.b move", "resource.other none", "resource.user none"}, "resource.a"},
		{"and changed", []string{"resource.a resource.b"}, []unit.Unit{of("resource.b", "changed"), other, user}, []string{"resource.b update", "resource.other none", "resource.user none"}, "resource.a"},
		{
			"and replaced, though others need it",
			[]string{"resource.a resource.b"},
			[]unit.Unit{of("resource.b", "!new"), other, of("resource.user", "u", "resource.b")},
			[]string{"resource.b blocked: resource.user needs it", "resource.other none", "resource.user none"},
			"resource.a",
		},
		{"to where nothing is wanted", []string{"resource.a resource.b"}, []unit.Unit{other, user}, []string{"resource.b delete: no longer", "resource.other none", "resource.user none"}, "resource.a"},
		{"to where something is", []string{"resource.a resource.other"}, []unit.Unit{other, user}, []string{"resource.a blocked: cannot become resource.other", "resource.other none", "resource.user none"}, ""},
		{"without a block", nil, []unit.Unit{of("resource.b", "a"), other, user}, []string{"resource.a delete", "resource.b create", "resource.other none", "resource.user none"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(test.units...)
			has(in, a, other, user)
			in.States[at("resource.b")] = new(seen("a"))
			if test.moves == nil {
				in.States[at("resource.b")] = &unit.State{Existence: unit.Absent}
			}
			in.Moves = moves(t, test.moves...)
			p := plan.Make(*in)
			expect(t, p, test.want...)
			for _, c := range p.Changes {
				if !c.From.IsZero() && (c.From.String() != test.from || c.Address != at("resource.b") || !c.Changes()) || test.from != "" && c.Address == at("resource.b") && c.From.IsZero() {
					t.Errorf("%s comes from %s", c.Address, c.From)
				}
			}
			if p.Empty() {
				t.Error("a plan that moves something is not empty")
			}
		})
	}
}

func TestDriftOfWhatMovesIsStillDrift(t *testing.T) {
	b := of("resource.b", "a")
	b.Drift = unit.DriftReport
	in := input(b)
	has(in, of("resource.a", "a"))
	in.States[b.Address] = new(seen("x"))
	in.Moves = moves(t, "resource.a resource.b")
	c := plan.Make(*in).Change(b.Address)
	if !c.Drift || c.Action != unit.ActionNone || !c.Changes() || c.From != at("resource.a") {
		t.Errorf("got %+v", c)
	}
}

// What moved away keeps its uid, so what comes to its place must get another.
func TestUIDsAreNotGivenOutTwice(t *testing.T) {
	moved := entryOf(of("resource.b", "b"))
	moved.UID = marker().UID(at("resource.a"))
	in := input(of("resource.a", "a"), of("resource.b", "b"))
	in.Entries = append(in.Entries, moved)
	in.States[at("resource.a")], in.States[at("resource.b")] = &unit.State{Existence: unit.Absent}, new(seen("b"))
	expect(t, plan.Make(*in), "resource.a create", "resource.b none")
	a := of("resource.a", "a")
	who := plan.Identity{Marker: marker(), Used: func(uid string) bool { return uid == moved.UID }}
	t1 := who.Target(&a, nil)
	if t1.UID == moved.UID || t1.Mark != marker().Mark(t1.UID) || !t1.Fresh {
		t.Errorf("the target is %+v", t1)
	}
	if t2 := who.Target(&a, &moved); t2.UID != moved.UID {
		t.Errorf("the target of what is recorded is %+v", t2)
	}
}

// TestOrigins: objects of a set may still say that they belong to the address that it had before.
func TestOrigins(t *testing.T) {
	who := plan.Identity{Moves: moves(t, "manifest.a manifest.b", "manifest.b manifest.c", "manifest.x manifest.y")}
	entry := inventory.Entry{Address: at("manifest.c"), Locator: unit.Locator{Driver: unit.Kubernetes, Kind: unit.KindObjects}}
	got := who.Target(nil, &entry).Origins
	if want := []addr.Object{at("manifest.b"), at("manifest.a")}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	entry.Applied = "digest"
	if target := who.Target(nil, &entry); !target.Complete || target.Applied != entry.Applied {
		t.Errorf("got %+v", target)
	}
	who.Moves = nil
	if got := who.Target(nil, &entry).Origins; len(got) > 0 {
		t.Errorf("without moved blocks: %v", got)
	}
}
