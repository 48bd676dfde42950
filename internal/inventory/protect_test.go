package inventory_test

import (
	"testing"
	"testing/synctest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
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

// What a step of an older revision writes, when that began before the protection or comes after it, does not take it back, and
// neither does what creates the first entry. Only who says so takes it back, and not from who protects it meanwhile.
func TestOlderStepsTakeNoProtectionBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		i := open(t, s)
		a, b := addr.MustParseObject("network.a"), addr.MustParseObject("network.b")
		protect := func() {
			if err := i.Protect(t.Context(), []addr.Object{a, b}); err != nil {
				t.Error(err)
			}
		}
		store := func(e inventory.Entry) {
			if err := i.Put(t.Context(), e); err != nil {
				t.Error(err)
			}
		}
		stored := func(want bool) {
			t.Helper()
			for _, name := range []addr.Object{a, b} {
				if e, known := open(t, s).Entry(name); !known || e.PreventDestroy != want {
					t.Errorf("%s is stored as %+v, %t", name, e, known)
				}
			}
		}
		s.answer = make(chan struct{})
		for _, name := range []string{"a", "b"} {
			go func() { // the first of each
				if err := i.Put(t.Context(), entry(name)); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		go protect()
		synctest.Wait()
		close(s.answer)
		synctest.Wait()
		s.answer = nil
		stored(true)
		moved := entry("a")
		moved.ID = "another"
		put(t, i, moved, entry("b"))
		stored(true)
		if e, _ := i.Entry(a); e.ID != "another" {
			t.Errorf("what else was written is lost: %+v", e)
		}

		c := addr.MustParseObject("network.c")
		put(t, i, entry("c"))
		s.answer = make(chan struct{})
		go func() {
			if err := i.Protect(t.Context(), []addr.Object{c}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		moved = entry("c")
		moved.ID = "another"
		go store(moved) // while that is being stored
		synctest.Wait()
		close(s.answer)
		synctest.Wait()
		s.answer = nil
		if e, _ := open(t, s).Entry(c); e.ID != "another" || !e.PreventDestroy {
			t.Errorf("it is stored as %+v", e)
		}

		s.answer = make(chan struct{})
		for _, name := range []addr.Object{a, b} {
			go func() {
				if err := i.Unprotect(t.Context(), name); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		if i.Protected(a) {
			t.Error("it is protected while that is taken back")
		}
		go protect()
		synctest.Wait()
		close(s.answer)
		synctest.Wait()
		s.answer = nil
		if stored(true); !i.Protected(a) {
			t.Error("it is not protected")
		}
		for _, name := range []addr.Object{a, b} {
			if err := i.Unprotect(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		stored(false)
		puts := s.puts
		if put(t, i, entry("b")); s.puts != puts {
			t.Error("what is stored was written again")
		}
	})
}

// A promise about what has no entry costs no request.
func TestProtectWhatIsNotThere(t *testing.T) {
	s := newStore()
	i := open(t, s)
	puts := s.puts
	if err := i.Protect(t.Context(), []addr.Object{addr.MustParseObject("network.a")}); err != nil || s.puts != puts {
		t.Errorf("%d writes, %v", s.puts-puts, err)
	}
	put(t, i, entry("a"))
	if e, _ := open(t, s).Entry(addr.MustParseObject("network.a")); !e.PreventDestroy {
		t.Error("the first entry does not say that it must not be deleted")
	}
}
