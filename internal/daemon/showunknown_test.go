package daemon_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lastShown is what a process has shown that is gone.
func lastShown() map[unit.ObjectRef]unit.Shown {
	ready := func(names ...string) (conditions []unit.ShownCondition) {
		for _, name := range names {
			conditions = append(conditions, unit.ShownCondition{Type: name, Status: "True", Reason: "Ready", Since: "2001-01-01T00:00:00Z"})
		}
		return conditions
	}
	return map[unit.ObjectRef]unit.Shown{
		unit.ShownRef(unit.KindShownService, "keystone"): {Status: "Ready", Conditions: ready("APIReachable", "Foreign", "Ready")},
		unit.ShownRef(unit.KindShownCloud, "prod"):       {Phase: "Ready", Revision: "1111", Conditions: ready("IdentityReady", "Ready", "SmokeTest")},
		unit.ShownRef(unit.KindShownNode, "managed"):     {Status: "Ready", Conditions: ready("Ready")},
		unit.ShownRef(unit.KindShownNode, "unmanaged"):   {Status: "Unmanaged", Conditions: []unit.ShownCondition{{Type: "Ready", Status: "False", Reason: "Unmanaged"}}},
		unit.ShownRef(unit.KindShownNode, "fresh"):       {},
	}
}

// TestNothingToGoBy: a daemon without a revision does not let stand that all is ready, as nobody looks; once it has
// one it says what it sees.
func TestNothingToGoBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, b := newOffice(t, false), newBoard("", nil, nil)
		b.shown, o.Board = lastShown(), b
		keystone, prod := unit.ShownRef(unit.KindShownService, "keystone"), unit.ShownRef(unit.KindShownCloud, "prod")
		node := func(name string) unit.ObjectRef { return unit.ShownRef(unit.KindShownNode, name) }
		defer o.run()()
		o.until(40*time.Second, "a doubt", func() (doubted bool) {
			b.locked(func() { doubted = b.shown[keystone].Status == "Unknown" })
			return doubted
		})
		const why = "source: context deadline exceeded"
		b.locked(func() {
			for ref, conditions := range map[unit.ObjectRef][]string{
				keystone: {"Ready", "APIReachable"}, prod: {"Ready", "IdentityReady", "SmokeTest"}, node("managed"): {"Ready"},
			} {
				for _, name := range conditions {
					if got := b.condition(ref, name); got != "Unknown NoRevision" {
						t.Errorf("%s of %s is %q", name, ref, got)
					}
				}
				if says := b.shown[ref]; says.Message != why || says.Conditions[0].Message != why || len(says.Conditions) != len(conditions) {
					t.Errorf("%s is shown as %+v", ref, says)
				}
			}
			if says := b.shown[prod]; says.Phase != "Infrastructure" || says.Revision != "1111" || says.Status != "" {
				t.Errorf("the cloud is shown as %+v", says)
			}
			if b.shown[node("unmanaged")].Status != "Unmanaged" || len(b.shown[node("fresh")].Conditions) > 0 {
				t.Errorf("without a block %+v, never shown %+v", b.shown[node("unmanaged")], b.shown[node("fresh")])
			}
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		b.locked(func() {
			if b.writes != 3 {
				t.Errorf("%d writes while nothing changes, want 3", b.writes)
			}
		})

		o.source.answers(true)
		o.serves(5*time.Minute, "blog")
		b.locked(func() { b.shown = lastShown() })
		o.news <- daemon.FactsChanged
		time.Sleep(time.Hour)
		synctest.Wait()
		b.locked(func() {
			if b.writes != 3 {
				t.Errorf("with a revision there were %d writes", b.writes-3)
			}
		})
	})
}

// TestANewProcessDoubtsNothing: what was shown stays until it is known that there is nothing to go by.
func TestANewProcessDoubtsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, b := newOffice(t, true), newBoard("", nil, nil)
		b.shown, o.Board = lastShown(), b
		defer o.run()()
		o.serves(time.Minute, "blog") // from the cache, while the server is silent
		time.Sleep(time.Hour)
		synctest.Wait()
		b.locked(func() {
			if b.writes != 0 {
				t.Errorf("there were %d writes", b.writes)
			}
		})
	})
}

// An error is not that nothing is shown, and one thing does not hold up the others.
func TestDoubtsThatCannotBeShown(t *testing.T) {
	b := newBoard("", nil, nil)
	b.shown = lastShown()
	b.fail["list"] = errors.New("no answer")
	if wrote, err := daemon.ShowUnknown(t.Context(), b, "why"); !errors.Is(err, b.fail["list"]) || wrote != 0 || b.writes != 0 {
		t.Errorf("wrote %d, error %v", wrote, err)
	}
	delete(b.fail, "list")
	b.fail["prod"] = errors.New("conflict")
	if wrote, err := daemon.ShowUnknown(t.Context(), b, "https://me:canary@git.example.org: 500"); !errors.Is(err, b.fail["prod"]) || wrote != 2 {
		t.Errorf("wrote %d, error %v", wrote, err)
	}
	if got := b.shown[unit.ShownRef(unit.KindShownService, "keystone")].Message; got != "https://(sensitive)@git.example.org: 500" {
		t.Errorf("the message is %q", got)
	}
	delete(b.fail, "prod")
	for _, want := range []int{1, 0} {
		if wrote, err := daemon.ShowUnknown(t.Context(), b, "https://me:canary@git.example.org: 500"); err != nil || wrote != want {
			t.Errorf("wrote %d, want %d, error %v", wrote, want, err)
		}
	}
}

// TestSeenNotToWork: without a revision it is not known whether anything is as it should be, but what is gone or does not
// work is said to be so.
func TestSeenNotToWork(t *testing.T) {
	b := newBoard("", nil, nil)
	b.shown = lastShown()
	keystone, node := unit.ShownRef(unit.KindShownService, "keystone"), unit.ShownRef(unit.KindShownNode, "managed")
	seen := func(address string, standing engine.Standing, why string) engine.Sighting {
		return engine.Sighting{Address: addr.MustParseObject(address), Standing: standing, Why: why}
	}
	if _, err := daemon.ShowUnknown(t.Context(), b, "no Git",
		seen("service.keystone", engine.StandsFailed, "https://me:canary@keystone.example.org is down"),
		seen("node.managed", engine.StandsWorking, ""), seen("network.prod", engine.StandsGone, "it is gone"),
	); err != nil {
		t.Fatal(err)
	}
	const down = "https://(sensitive)@keystone.example.org is down"
	if says := b.shown[keystone]; says.Status != "Failed" || says.Message != down || b.condition(keystone, "Ready") != "False Failed" || b.condition(keystone, "APIReachable") != "Unknown NoRevision" {
		t.Errorf("a service that does not work is shown as %+v", says)
	}
	if says := b.shown[node]; says.Status != "Unknown" || b.condition(node, "Ready") != "Unknown NoRevision" {
		t.Errorf("a node that works is shown as %+v", says)
	}
	if got := b.condition(unit.ShownRef(unit.KindShownCloud, "prod"), "Ready"); got != "Unknown NoRevision" {
		t.Errorf("the cloud is shown as %s", got)
	}
}

func TestProblemsOnRecord(t *testing.T) {
	var all []engine.Sighting
	for i := range 13 {
		all = append(all, engine.Sighting{Address: addr.MustParseObject(fmt.Sprintf("network.n%02d", i)), Standing: engine.StandsGone, Why: "it is gone"})
	}
	all[0] = engine.Sighting{Address: all[0].Address, Standing: engine.StandsWorking}
	got := daemon.OnRecord(all)
	if len(got) != 11 || got[0] != "on record: network.n01: it is gone" || got[10] != "on record: 2 more do not work, or cannot be observed" {
		t.Errorf("%q", got)
	}
}

// TestUnobservedIsBounded: where the server refuses all that is asked, each thing has a cause of its own.
func TestUnobservedIsBounded(t *testing.T) {
	var causes []string
	for i := range 10 {
		causes = append(causes, fmt.Sprintf("read ConfigMap notes/n%02d: the cluster does not allow it", i))
	}
	if got := daemon.Unobserved(causes); !slices.Equal(got, causes) {
		t.Errorf("ten are %q", got)
	}
	got := daemon.Unobserved(append(causes, "read ConfigMap notes/n10", "read ConfigMap notes/n11"))
	if len(got) != 11 || got[9] != causes[9] || got[10] != "unobserved: 2 more cannot be observed, each as the report says" {
		t.Errorf("twelve are %q", got)
	}
}
