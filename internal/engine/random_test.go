package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// TestRandomTroubles has revisions with random edges follow each other while calls and writes fail,
// objects are changed and deleted, drivers go blind and processes are killed. Once the trouble
// ends everything has to be as the last revision wants it, once each, and quiet.
func TestRandomTroubles(t *testing.T) {
	count, chance := fewTroubles, func(run int) *rand.Rand { return rand.New(rand.NewPCG(uint64(run), 1)) } // the same in each test
	given := os.Getenv(runsVariable)
	if given != "" {
		var err error
		if count, err = strconv.Atoi(given); err != nil || count < 1 {
			t.Fatalf("%s is %q", runsVariable, given)
		}
	}
	if given != "" || os.Getenv(faultproxy.SeedVariable) != "" {
		seed := faultproxy.Seed(t)
		chance = func(run int) *rand.Rand { return faultproxy.Rand(seed, "troubles", strconv.Itoa(run)) }
	}
	for run := range count {
		t.Run(strconv.Itoa(run), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomTroubles(t, chance(run)) })
		})
		if t.Failed() {
			break
		}
	}
}

const (
	runsVariable = faultproxy.RunsVariable // with a new seed
	fewTroubles  = 40
)

const randomUnits = 8

func randomAddress(r *rand.Rand) string { return fmt.Sprintf("resource.r%d", r.IntN(randomUnits)) }

// randomRevision returns a revision without cycles.
func randomRevision(r *rand.Rand) string {
	var b strings.Builder
	order := r.Perm(randomUnits)
	for i, n := range order {
		if r.IntN(4) == 0 {
			continue
		}
		fmt.Fprintf(&b, "resource.r%d driver=openstack .v=%d .w=%d slow=%d install=%d", n, r.IntN(2), r.IntN(2), r.IntN(3), r.IntN(3))
		if r.IntN(3) == 0 {
			b.WriteString(" replace=v")
		}
		if r.IntN(2) == 0 {
			b.WriteString(" first")
		}
		var needs []string
		for _, other := range order[:i] {
			if r.IntN(4) == 0 && strings.Contains(b.String(), fmt.Sprintf("resource.r%d driver", other)) {
				needs = append(needs, fmt.Sprintf("resource.r%d:%s:%s", other, []string{"ready", "installed"}[r.IntN(2)], []string{"start", "ready"}[r.IntN(2)]))
			}
		}
		if len(needs) > 0 {
			b.WriteString(" needs=" + strings.Join(needs, ","))
		}
		b.WriteByte('\n')
	}
	b.WriteString("service.last\n") // so that it is never empty
	return b.String()
}

func randomTroubles(t *testing.T, r *rand.Rand) {
	s := newScenario(t)
	s.options.MaxDeletes, s.options.Parallel = plan.AtMost(100), 1+r.IntN(4)
	s.start()
	must := func(line string) {
		if err := s.run(line); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, s.status())
		}
	}
	for k := range 12 {
		id := fmt.Sprint("r", k)
		s.revisions[id] = parseRevision(t, id, randomRevision(r))
		submit := "submit " + id
		must(submit)
		for range r.IntN(5) {
			s.randomTrouble(r, must)
			time.Sleep(time.Duration(r.IntN(8000)) * time.Millisecond)
			if s.dead() {
				s.stop()
				s.start()
				must(submit)
			}
		}
	}
	if s.dead() {
		s.stop()
		s.start()
	}
	s.world.mutex.Lock()
	s.world.kill, s.store.fail, s.store.lose = 0, 0, 0
	clear(s.world.failures)
	clear(s.world.hidden)
	s.world.mutex.Unlock()
	must("resume all")
	must("submit r11")
	must("settle")
	must("wait 20m") // what failed before is tried again
	must("resync")
	must("settle")
	must("quiet 1h")
	s.checkAll(t, s.revisions["r11"])
	s.stop()
}

func (s *scenario) dead() bool {
	synctest.Wait()
	select {
	case <-s.world.killed:
		return true
	default:
		return false
	}
}

func (s *scenario) randomTrouble(r *rand.Rand, must func(string)) {
	a := randomAddress(r)
	switch r.IntN(10) {
	case 0:
		must(fmt.Sprintf("fail apply %s %d", a, 1+r.IntN(3)))
	case 1:
		must(fmt.Sprintf("fail delete %s %d", a, 1+r.IntN(3)))
	case 2:
		must("erase " + a)
	case 3:
		s.world.mutex.Lock()
		if o := s.world.at(parseAddress(a)); o != nil {
			o.fields["w"] = "9"
		}
		s.world.mutex.Unlock()
		must("notify " + a)
	case 4:
		must(fmt.Sprintf("store fail %d", 1+r.IntN(2)))
	case 5:
		must(fmt.Sprintf("store lose %d", 1+r.IntN(2)))
	case 6:
		must([]string{"hide ", "show "}[r.IntN(2)] + a)
	case 7:
		if s.dead() {
			return
		}
		s.world.mutex.Lock()
		s.world.kill = s.world.points + 1 + r.IntN(6)
		s.world.mutex.Unlock()
	case 8:
		must("resync")
	case 9:
		must([]string{"suspend ", "resume "}[r.IntN(2)] + []string{a, "all"}[r.IntN(2)])
	}
}

// checkAll compares the world with a revision. A replacement may be held back because others need
// what is replaced, and then what waits for it is, too. What has taken the place of an object before has that on record, and tells
// why it is still there.
func (s *scenario) checkAll(t *testing.T, r *engine.Revision) {
	wanted := map[string]bool{}
	for _, u := range r.Units {
		a := u.Address.String()
		wanted[a] = true
		status, err := s.unit(a)
		if err != nil {
			t.Fatal(err)
		}
		if status.Phase == engine.PhaseBlocked && strings.Contains(status.Reason, "needs it") || len(status.Causes) > 0 {
			continue
		}
		e, _ := s.inventory.Entry(u.Address)
		i := slices.IndexFunc(s.world.objects, func(o *object) bool { return o.address == u.Address && o.id == e.ID })
		if status.Phase != engine.PhaseReady || i < 0 || !holds(s.world.objects[i].fields, u.Spec.(*spec).fields) {
			t.Errorf("%s is on record as %+v\n%s", a, e, s.status())
		}
	}
	seen := map[string]bool{}
	for _, o := range s.world.objects {
		a := o.address.String()
		status, _ := s.unit(a)
		e, _ := s.inventory.Entry(o.address)
		held := len(status.Causes) > 0
		current := !seen[a] && (o.id == e.ID || o.mark != "" && strings.Contains(o.mark, e.UID)) // what was created by a process that was killed has no id on record, and the mark
		replaced := slices.ContainsFunc(e.Former, func(f inventory.Former) bool { return f.ID == o.id }) &&
			(held || strings.Contains(status.Reason, "is still to be deleted") || strings.Contains(status.Reason, "once these have moved"))
		if !wanted[a] && !held || wanted[a] && !current && !replaced {
			t.Errorf("there is a %s too many, %s, and on record is %+v\n%s", a, o.id, e, s.status())
		}
		seen[a] = seen[a] || current
	}
}
