package inventory_test

import (
	"testing"
	"testing/synctest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// Whoever protects an entry does so beside others that write it: their changes stay, and what is removed stays away.
func TestProtectBesideOtherChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		i := open(t, s)
		put(t, i, entry("a"), entry("b"), entry("c"))
		s.answer = make(chan struct{})
		moved := entry("a")
		moved.ID = "another"
		go func() {
			if err := i.Put(t.Context(), moved); err != nil {
				t.Error(err)
			}
		}()
		go func() {
			if err := i.Remove(t.Context(), addr.MustParseObject("network.b")); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait() // both are under way, or wait for each other
		go func() {
			if err := i.Protect(t.Context(), []addr.Object{
				addr.MustParseObject("network.a"), addr.MustParseObject("network.b"), addr.MustParseObject("network.c"), addr.MustParseObject("network.d"),
			}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		close(s.answer)
		synctest.Wait()
		s.answer = nil
		stored := open(t, s)
		if got := names(stored); got != "a c" {
			t.Errorf("stored are %s", got)
		}
		for name, id := range map[string]string{"a": "another", "c": "id-c"} {
			if e, _ := stored.Entry(addr.MustParseObject("network." + name)); e.ID != id || !e.PreventDestroy {
				t.Errorf("%s is stored as %+v", name, e)
			}
		}
		puts := s.puts
		if err := i.Protect(t.Context(), []addr.Object{addr.MustParseObject("network.a")}); err != nil || s.puts != puts {
			t.Errorf("what is protected was written again: %v", err)
		}
	})
}
