package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder has on record which revision was admitted last, where every process finds it. Each write is a point where the
// process may be killed, before and after it.
type recorder struct {
	world *world

	mutex sync.Mutex
	ids   []string
	fail  int // so many writes fail
	tries int
}

func (r *recorder) admit(ctx context.Context, id string) error {
	if err := r.world.point(ctx); err != nil {
		return err
	}
	r.mutex.Lock()
	r.tries++
	failed := r.fail > 0
	if r.fail--; !failed {
		r.ids = append(r.ids, id)
	}
	r.mutex.Unlock()
	if failed {
		return errors.New("the record does not answer")
	}
	return r.world.point(ctx)
}

// last is the one on record; "" before the first.
func (r *recorder) last() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.ids) == 0 {
		return ""
	}
	return r.ids[len(r.ids)-1]
}

// acts tells whether anything in the world is as only the second revision wants it.
func acts(w *world) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.ContainsFunc(w.objects, func(o *object) bool { return o.fields["v"] == "2" })
}

// TestKilledNeverGoesBack kills the process at every point while a revision takes the place of another one. The next process
// has no Git, nor what the one before had fetched, and goes on with what is on record: whatever was done already by the
// second revision stays done.
func TestKilledNeverGoesBack(t *testing.T) {
	revisions := map[string]string{
		"one": "resource.a driver=openstack .v=1\nresource.b driver=openstack .v=1 needs=resource.a",
		"two": "resource.a driver=openstack .v=2\nresource.b driver=openstack .v=2 needs=resource.a\nresource.c driver=openstack .v=2",
	}
	for n := 1; ; n++ {
		hit := false
		t.Run(fmt.Sprintf("at point %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScenario(t)
				record := &recorder{world: s.world}
				s.options.Admit = record.admit
				for id, text := range revisions {
					s.revisions[id] = parseRevision(t, id, text)
				}
				do := func(line string) {
					t.Helper()
					if err := s.run(line); err != nil {
						t.Fatal(err)
					}
				}
				s.start()
				do("submit one")
				do("settle")
				s.world.mutex.Lock()
				s.world.kill = s.world.points + n
				s.world.mutex.Unlock()
				do("submit two")
				if hit = s.settleOrDie(); hit {
					s.stop()
					acted := acts(s.world)
					if acted && record.last() != "two" {
						t.Errorf("the world has %v, and on record is %s", s.world.list(), record.last())
					}
					s.start()
					do("submit " + record.last())
					do("settle")
					if acted && !acts(s.world) {
						t.Errorf("it went back to %v", s.world.list())
					}
					do("submit two")
					do("settle")
				}
				do("objects resource.a resource.b resource.c")
				if record.last() != "two" {
					t.Errorf("on record is %s", record.last())
				}
				s.stop()
			})
		})
		if !hit || t.Failed() {
			if n < 10 {
				t.Errorf("there are only %d points", n)
			}
			break
		}
	}
}

// TestNothingIsDoneBeforeTheRecord: while it cannot be put on record which revision is admitted nothing is done by it, and
// the one before is not gone back to; a newer one takes its place.
func TestNothingIsDoneBeforeTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScenario(t)
		record := &recorder{world: s.world}
		s.options.Admit = record.admit
		for _, id := range []string{"one", "two", "three"} {
			s.revisions[id] = parseRevision(t, id, "resource."+id+" driver=openstack")
		}
		has := func(want ...string) {
			t.Helper()
			synctest.Wait()
			s.world.mutex.Lock()
			var names []string
			for _, o := range s.world.objects {
				names = append(names, o.address.String())
			}
			s.world.mutex.Unlock()
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("there are %v, want %v", names, want)
			}
		}
		do := func(line string) {
			t.Helper()
			if err := s.run(line); err != nil {
				t.Fatal(err)
			}
		}
		fails := func(n int) {
			record.mutex.Lock()
			defer record.mutex.Unlock()
			record.fail, record.tries = n, 0
		}
		s.start()
		defer s.stop()
		do("submit one")
		do("settle")
		has("resource.one")

		fails(1 << 20)
		do("submit two")
		time.Sleep(5 * time.Minute)
		has("resource.one")
		if now := s.engine.Snapshot(); now.Admitted || now.Settled || now.InForce != "one" {
			t.Errorf("it says %+v", now)
		}
		record.mutex.Lock()
		if record.tries < 15 || record.tries > 40 {
			t.Errorf("within five minutes it was tried %d times", record.tries)
		}
		record.mutex.Unlock()
		do("submit three")
		fails(0)
		time.Sleep(30 * time.Second)
		do("settle")
		has("resource.three")
		do("resync")
		do("settle")
		record.mutex.Lock()
		defer record.mutex.Unlock()
		if !slices.Equal(record.ids, []string{"one", "three"}) {
			t.Errorf("on record came %v", record.ids)
		}
	})
}
