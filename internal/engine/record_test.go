package engine

import (
	"context"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// nowhere is a store that forgets.
type nowhere struct{}

func (nowhere) Load(context.Context) (map[string]inventory.Shard, error) { return nil, nil }

func (nowhere) Put(context.Context, string, []byte, string) (string, error) { return "1", nil }

// TestNamesAreOnRecordBeforeTheyAreSet: a process that is killed before it can say that a step is done has
// on record what it may have set, and still what it may not have taken away.
func TestNamesAreOnRecordBeforeTheyAreSet(t *testing.T) {
	records, err := inventory.Open(t.Context(), nowhere{})
	if err != nil {
		t.Fatal(err)
	}
	tagged := func(tags ...string) cty.Value {
		var all []cty.Value
		for _, tag := range tags {
			all = append(all, cty.StringVal(tag))
		}
		return cty.ObjectVal(map[string]cty.Value{"tags": cty.SetVal(all)})
	}
	e := &Engine{}
	e.Inventory = records
	u := &unit.Unit{Address: addr.MustParseObject("network.web"), Spec: &unit.Resource{Kind: "network", Block: schema.New().Resource("network"), Desired: tagged("c")}}
	first := inventory.Entry{Address: u.Address, UID: "u", Phase: inventory.Owned, ID: "n1", Applied: "x", Set: map[string][]string{"tags": {"a"}}}
	if err := records.Put(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	who := plan.Identity{Marker: inventory.NewMarker("ours", redact.NewSecret("a key that is long enough"))}
	there := unit.State{Existence: unit.Present, Owned: true, ID: "n1"}
	if err := e.intend(t.Context(), inventory.Deployment{}, who, u, there, unit.Target{}, tagged("c")); err != nil {
		t.Fatal(err)
	}
	entry, _ := records.Entry(u.Address)
	if want := (map[string][]string{"tags": {"a", "c"}}); !reflect.DeepEqual(entry.Set, want) || !reflect.DeepEqual(who.Recorded(unit.Target{}, &entry).Set, want) {
		t.Errorf("begun: %v, want %v", entry.Set, want)
	}
	if got := done(entry, u, tagged("c"), unit.Target{}).Set; !reflect.DeepEqual(got, map[string][]string{"tags": {"c"}}) {
		t.Errorf("done: %v", got)
	}
	if err := e.intend(t.Context(), inventory.Deployment{}, who, u, unit.State{Existence: unit.Absent}, unit.Target{}, tagged("d")); err != nil {
		t.Fatal(err)
	}
	if entry, _ = records.Entry(u.Address); !reflect.DeepEqual(entry.Set, map[string][]string{"tags": {"d"}}) {
		t.Errorf("made anew: %v", entry.Set)
	}
}
