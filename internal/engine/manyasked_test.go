package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// TestManyAskAtOnce: who asks for each of very many by itself, as by an annotation of every node, hears of all of them.
func TestManyAskAtOnce(t *testing.T) {
	const many = 300
	synctest.Test(t, func(t *testing.T) {
		s := newScenario(t)
		var text strings.Builder
		for n := range many {
			fmt.Fprintf(&text, "resource.x%d driver=openstack\n", n)
		}
		s.revisions["one"] = parseRevision(t, "one", text.String())
		s.start()
		defer s.stop()
		for _, line := range []string{"submit one", "settle"} {
			if err := s.run(line); err != nil {
				t.Fatal(err)
			}
		}
		var looked []<-chan struct{}
		for n := range many {
			one, err := s.engine.Retry(t.Context(), "", addr.MustParseObject(fmt.Sprintf("resource.x%d", n)))
			if err != nil {
				t.Fatal(err)
			}
			looked = append(looked, one)
		}
		for range 3 { // who asks for the same is told together
			one, err := s.engine.Retry(t.Context(), "", addr.Module{})
			if err != nil {
				t.Fatal(err)
			}
			looked = append(looked, one)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		untold := 0
		for _, one := range looked {
			if !closed(one) {
				untold++
			}
		}
		if untold > 0 {
			t.Errorf("of %d who asked %d are never told", len(looked), untold)
		}
	})
}
