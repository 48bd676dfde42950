package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestAdmittedUnheard: the write of the record lands, and its answer is lost; then the repository is put back to the commit
// before. What is done, and what is on record, must be the same.
func TestAdmittedUnheard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScenario(t)
		record := ""
		lose := false
		s.options.Admit = func(_ context.Context, id string) error {
			record = id
			if lose {
				return errors.New("context deadline exceeded")
			}
			return nil
		}
		for _, id := range []string{"one", "two"} {
			s.revisions[id] = parseRevision(t, id, "resource."+id+" driver=openstack")
		}
		do := func(line string) {
			t.Helper()
			if err := s.run(line); err != nil {
				t.Fatal(err)
			}
		}
		s.start()
		defer s.stop()
		do("submit one")
		do("settle")
		lose = true
		do("submit two")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		lose = false
		do("submit one")
		time.Sleep(time.Minute)
		do("settle")
		if now := s.engine.Snapshot(); now.InForce != record {
			t.Errorf("in force is %s, and on record for all who come later is %s", now.InForce, record)
		}
	})
}

// TestPassWithoutRecordEnds: a pass of which nothing can be put on record ends by itself, and says why, as it does where the record
// of a unit cannot be written.
func TestPassWithoutRecordEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScenario(t)
		refused := errors.New(`secrets "kupenstack-inventory-deployment" is immutable`)
		s.options.Admit = func(context.Context, string) error { return refused }
		s.revisions["one"] = parseRevision(t, "one", "resource.one driver=openstack")
		s.build()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		err := s.engine.Converge(ctx, s.revisions["one"], time.Second)
		if !errors.Is(err, refused) {
			t.Errorf("it ends with %v: %s", err, s.status())
		}
	})
}

// TestAdmittedAsARefusedOneComes: a newer revision comes while one is put on record, and is refused. What is on record by
// then is what stays in force: whoever comes after this process begins with it, and the record does not go back.
func TestAdmittedAsARefusedOneComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScenario(t)
		var hold chan struct{}
		var record []string
		s.options.Admit = func(_ context.Context, id string) error {
			if hold != nil {
				<-hold
			}
			record = append(record, id)
			return nil
		}
		const deployed = "release.mariadb fixed=storage_size:5Gi"
		for id, text := range map[string]string{
			"one": deployed, "two": deployed + "\nresource.two driver=openstack", "three": "release.mariadb .v=1 fixed=storage_size:6Gi",
		} {
			s.revisions[id] = parseRevision(t, id, text)
		}
		do := func(line string) {
			t.Helper()
			if err := s.run(line); err != nil {
				t.Fatal(err)
			}
		}
		s.start()
		defer s.stop()
		do("submit one")
		do("settle")
		hold = make(chan struct{})
		do("submit two")
		do("submit three")
		close(hold)
		do("settle")
		do("refused plan.immutable")
		do("expect resource.two ready")
		if now := s.engine.Snapshot(); now.InForce != "two" || !slices.Equal(record, []string{"one", "two"}) {
			t.Errorf("in force is %s, and on record came %q", now.InForce, record)
		}
	})
}
