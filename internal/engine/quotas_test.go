package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// full is a cloud in which nothing is, and nothing can be made.
type full struct{}

func (full) Observe(_ context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	states := map[addr.Object]unit.State{}
	for _, t := range targets {
		states[t.Address] = unit.State{Existence: unit.Absent, Project: "p1"}
	}
	return states, nil
}

func (full) Compare(unit.Target, cty.Value, unit.State) unit.Diff {
	return unit.Diff{Action: unit.ActionCreate}
}

func (full) Apply(context.Context, unit.Target, cty.Value, unit.State) (unit.State, error) {
	return unit.State{}, errors.New("a quota is exceeded")
}

func (full) Delete(context.Context, unit.Target, unit.State) (unit.State, error) {
	return unit.State{Existence: unit.Absent}, nil
}

// TestOnlyPlansForPeopleAskForQuotas: a plan that somebody asks for asks once, and stands whatever the answer; what the
// engine plans for itself does not ask.
func TestOnlyPlansForPeopleAskForQuotas(t *testing.T) {
	r := &engine.Revision{ID: "one", Deployment: inventory.Deployment{Cloud: "demo"}, Units: []unit.Unit{{
		Address: addr.MustParseObject("network.web"), Class: unit.ClassResource,
		Spec: &unit.Resource{Kind: "network", Desired: cty.ObjectVal(map[string]cty.Value{"project": cty.NullVal(cty.String)})},
	}}}
	hangs := func(ctx context.Context) (unit.Quota, error) {
		<-ctx.Done()
		return unit.Quota{Limit: -1}, ctx.Err()
	}
	for name, c := range map[string]struct {
		answer   func(context.Context) (unit.Quota, error)
		patience time.Duration // of whoever asks for the plan
		want     string
	}{
		"room":                           {func(context.Context) (unit.Quota, error) { return unit.Quota{Limit: 2, Used: 1}, nil }, time.Hour, ""},
		"no room":                        {func(context.Context) (unit.Quota, error) { return unit.Quota{Limit: 1, Used: 1}, nil }, time.Hour, "of networks the quota allows 1"},
		"hangs":                          {hangs, time.Hour, "did not tell all of its quotas within 30s"},
		"hangs, and little time is left": {hangs, 10 * time.Second, "did not tell all of its quotas within 5s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kept, err := inventory.Open(t.Context(), &store{world: &world{}, shards: map[string]inventory.Shard{}})
				if err != nil {
					t.Fatal(err)
				}
				asked := 0
				e := engine.New(engine.Options{
					Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: full{}}, Inventory: kept,
					Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
					Quotas: func(ctx context.Context, limits map[string][]string) (map[string]map[string]unit.Quota, error) {
						if asked++; len(limits) != 1 || !slices.Equal(limits["p1"], []string{"networks"}) {
							t.Error(limits)
						}
						q, err := c.answer(ctx)
						return map[string]map[string]unit.Quota{"p1": {"networks": q}}, err
					},
				})
				patient, done := context.WithTimeout(t.Context(), c.patience)
				defer done()
				p, err := e.Plan(patient, r)
				if err != nil || patient.Err() != nil || len(p.Refused) > 0 || p.Count(unit.ActionCreate) != 1 {
					t.Fatalf("%+v, %v", p, err)
				}
				text := ""
				for _, d := range p.Warnings {
					text += d.Detail
				}
				if asked != 1 || (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
					t.Errorf("asked %d times: %q", asked, text)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := e.Converge(ctx, r, time.Second); err != nil || asked != 1 {
					t.Errorf("asked %d times: %v", asked, err)
				}
			})
		})
	}
}
