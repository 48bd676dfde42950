package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// servers is a revision with these; what one of them is to be like cannot be told when it is the broken one.
func servers(id string, names ...string) *engine.Revision {
	r := &engine.Revision{ID: id}
	for _, name := range names {
		r.Units = append(r.Units, unit.Unit{
			Address: addr.MustParseObject("resource." + name), Class: unit.ClassResource,
			Spec: &unit.Resource{
				Kind: "server", Desired: cty.UnknownVal(cty.String),
				Resolve: func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
					if name == "broken" {
						panic("canary of " + name)
					}
					return cty.StringVal(name), nil
				},
			},
		})
	}
	return r
}

// TestPlansThatPanic: a revision for which no plan can be made is refused, the one before it stays in force, and nobody
// is told what was panicked with.
func TestPlansThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		start := func() (*engine.Engine, *world) {
			w := newWorld()
			entries, err := inventory.Open(t.Context(), &store{world: w, shards: map[string]inventory.Shard{}})
			if err != nil {
				t.Fatal(err)
			}
			return engine.New(engine.Options{
				Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: fake{unit.OpenStack, w}}, Inventory: entries,
				Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")), Resync: time.Minute, Log: zerolog.New(zerolog.SyncWriter(&log)),
			}), w
		}
		refused := func(where string, found diag.Diagnostics) {
			t.Helper()
			if len(found) != 1 || found[0].Code != plan.CodeCrash || strings.Contains(fmt.Sprintf("%+v", found), "canary") {
				t.Errorf("%s it is refused for %+v", where, found)
			}
		}

		e, w := start()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			e.Run(ctx, 0)
		}()
		for _, r := range []*engine.Revision{servers("one", "web"), servers("two", "web", "broken")} {
			if err := e.Submit(ctx, r); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // by the clock of the test
			synctest.Wait()
		}
		s := e.Snapshot()
		if s.Revision != "one" || s.RefusedRevision != "two" || !s.Admitted || s.InForce != "one" || s.Units[0].Phase != engine.PhaseReady {
			t.Errorf("it goes on as %+v", s)
		}
		refused("in the daemon", s.Refused)
		if err := e.Submit(ctx, servers("three", "web", "mail")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		cancel()
		<-ended
		w.mutex.Lock()
		if trace := strings.Join(w.trace, ", "); trace != "create resource.web, create resource.mail" {
			t.Errorf("the calls were %s", trace)
		}
		w.mutex.Unlock()

		alone, w := start()
		if err := alone.Converge(t.Context(), servers("two", "web", "broken"), 0); err != nil {
			t.Error(err)
		}
		refused("in a pass", alone.Snapshot().Refused)
		p, _ := alone.Plan(t.Context(), servers("two", "web", "broken"))
		refused("in a plan", p.Refused)
		if len(w.trace) > 0 {
			t.Errorf("without a plan the calls were %s", w.trace)
		}
		if said := log.String(); strings.Contains(said, "canary") || strings.Count(said, "crash_test.go") < 3 {
			t.Errorf("the log says %s", said)
		}
	})
}
