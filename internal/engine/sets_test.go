package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// setOf is a set of objects by their names: those that begin with job are Jobs with a time to live.
func setOf(names string) *unit.Objects {
	set := &unit.Objects{}
	for name := range strings.SplitSeq(names, ",") {
		item := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "n"}}
		if strings.HasPrefix(name, "job") {
			item["apiVersion"], item["kind"], item["spec"] = "batch/v1", "Job", map[string]any{"ttlSecondsAfterFinished": int64(60)}
		}
		set.Items = append(set.Items, item)
	}
	return set
}

// sets are the objects of sets that are there, by the sets' addresses and their own names.
type sets map[addr.Object]map[string]bool

// passed tells whether an object of a set is not there because its time is over, as the driver of Kubernetes does.
func passed(t unit.Target, set *unit.Objects, item int, there map[string]bool) bool {
	return !there[nameIn(set, item)] && set.Passes(item) && unit.HadPassing(t.Applied, set.Digest(), set.ItemDigest(item))
}

func nameIn(set *unit.Objects, item int) string { return unit.RefOf(set.Items[item]).Name }

// pruned are the objects of a set that are there and not wanted any more.
func pruned(t unit.Target, set *unit.Objects, there map[string]bool) []string {
	var names []string
	for _, ref := range t.Locator.Objects {
		wanted := set != nil && slices.ContainsFunc(set.Items, func(item map[string]any) bool { return unit.RefOf(item).Name == ref.Name })
		if !wanted && there[ref.Name] {
			names = append(names, ref.Name)
		}
	}
	return names
}

func (w *world) setState(t unit.Target) unit.State {
	set, _ := t.Spec.(*unit.Objects)
	there := maps.Clone(w.sets[t.Address])
	s := unit.State{Existence: unit.Absent, Installed: true, Health: unit.HealthReady, Observed: there, Owned: true, Mark: t.Mark}
	if set != nil {
		for i := range set.Items {
			if there[nameIn(set, i)] || passed(t, set, i, there) {
				s.Existence = unit.Present
			} else {
				s.Installed = false
			}
		}
	}
	if len(pruned(t, set, there)) > 0 {
		s.Existence = unit.Present
	}
	return s
}

func compareSet(t unit.Target, set *unit.Objects, s unit.State) unit.Diff {
	if s.Existence == unit.Absent {
		return unit.Diff{Action: unit.ActionCreate}
	}
	there, _ := s.Observed.(map[string]bool)
	d := unit.Diff{Action: unit.ActionNone}
	for i := range set.Items {
		if name := nameIn(set, i); !there[name] && !passed(t, set, i, there) {
			d.Action, d.Fields = unit.ActionUpdate, append(d.Fields, unit.Field{Path: name, After: "created"})
		}
	}
	for _, name := range pruned(t, set, there) {
		d.Action, d.Fields, d.Prunes = unit.ActionUpdate, append(d.Fields, unit.Field{Path: name, Before: "present"}), d.Prunes+1
	}
	return d
}

// change makes or deletes one object of a set; the process may be killed before and after that.
func (w *world) change(ctx context.Context, a addr.Object, verb, name string) error {
	if err := w.point(ctx); err != nil {
		return err
	}
	w.mutex.Lock()
	if err := w.fails(verb, addr.MustParseObject("object."+name)); err != nil {
		w.mutex.Unlock()
		return err
	}
	if w.sets[a] == nil {
		w.sets[a] = map[string]bool{}
	}
	if delete(w.sets[a], name); verb == "make" {
		w.sets[a][name] = true
	}
	w.trace = append(w.trace, verb+" "+name)
	w.mutex.Unlock()
	return w.point(ctx)
}

// stepSet makes what a set lacks, and then deletes what is not wanted any more.
func (w *world) stepSet(ctx context.Context, t unit.Target, s unit.State) (unit.State, error) {
	set, _ := t.Spec.(*unit.Objects)
	w.mutex.Lock()
	w.calls++
	w.tried[t.Address.String()]++
	there, hold := maps.Clone(w.sets[t.Address]), w.holds[t.Address.String()]
	w.mutex.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	op := "apply"
	if t.Spec == nil {
		op = "delete"
	}
	doing := w.witness.doing(op, t, len(there) > 0)
	var failure error
	if set != nil {
		for i := range set.Items {
			if name := nameIn(set, i); !there[name] && !passed(t, set, i, there) {
				failure = errors.Join(failure, w.change(ctx, t.Address, "make", name))
			}
		}
	}
	if failure != nil {
		return s, failure
	}
	for _, name := range slices.Backward(pruned(t, set, there)) {
		if err := w.change(ctx, t.Address, "prune", name); err != nil {
			return s, err
		}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.witness.ends(doing, t.Address, made)
	return w.setState(t), nil
}

// deleteSet deletes all of a set, the last one first.
func (w *world) deleteSet(ctx context.Context, t unit.Target, s unit.State) (unit.State, error) {
	t.Spec = nil
	return w.stepSet(ctx, t, s)
}

// TestJobsThatWereTakenOut kills the process at every point while a Job with a time to live is taken out of a set, or the
// set is taken away, and has the commit reverted then: if we have deleted the Job it is made again. What was done
// by a Job that is in both is not done a second time.
func TestJobsThatWereTakenOut(t *testing.T) {
	revisions := map[string]string{
		"one":  "manifest.a class=workload objects=settings,job-first,job-kept,job-last,after\nmanifest.b class=workload objects=other",
		"two":  "manifest.a class=workload objects=settings,job-kept,after\nmanifest.b class=workload objects=other",
		"away": "destroy manifest.a\nmanifest.b class=workload objects=other",
	}
	for _, second := range []string{"two", "away"} {
		t.Run(second, func(t *testing.T) {
			script := []string{"submit one", "settle", "pass job-kept", "submit " + second + ", then submit one", "settle"}
			killEveryPoint(t, revisions, script, func(s *scenario) {
				a := addr.MustParseObject("manifest.a")
				want, entries := map[string]bool{"settings": true, "after": true, "job-first": true, "job-last": true}, "entries manifest.a:owned manifest.b:owned"
				switch s.engine.Snapshot().Revision {
				case "two":
					want = map[string]bool{"settings": true, "after": true}
				case "away":
					want, entries = map[string]bool{}, "entries manifest.b:owned"
				}
				made := 0
				trace := s.world.takeTrace()
				for _, call := range trace {
					if call == "make job-kept" {
						made++
					}
				}
				got := maps.Clone(s.world.sets[a])
				if delete(got, "job-kept"); !maps.Equal(got, want) && len(got)+len(want) > 0 {
					s.t.Errorf("of %s there are %v, want %v\n%s\n%v", s.engine.Snapshot().Revision, got, want, s.status(), trace)
				}
				if second == "two" && made != 1 {
					s.t.Errorf("job-kept was made %d times", made)
				}
				for _, line := range []string{entries, "quiet 1h"} {
					if err := s.run(line); err != nil {
						s.t.Errorf("%s: %v\n%s", line, err, s.status())
					}
				}
			})
		})
	}
}

// pass has Kubernetes delete a Job whose time is over.
func (w *world) pass(name string) error {
	for a := range w.sets {
		if w.sets[a][name] {
			delete(w.sets[a], name)
			return nil
		}
	}
	return fmt.Errorf("there is no %s", name)
}
