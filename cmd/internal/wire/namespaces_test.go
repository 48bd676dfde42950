package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestNewsOfNamespaces has a change of what is chosen be news once, and what cannot be seen none.
func TestNewsOfNamespaces(t *testing.T) {
	t.Parallel()
	tenants := map[string]string{"tenant": "true"}
	w := newNamespaceWatch()
	var now []string
	var blind error
	choose := func(selector map[string]string) ([]string, error) {
		if selector["tenant"] != "true" {
			t.Errorf("it asks for %v", selector)
		}
		return now, blind
	}
	if w.news(choose) {
		t.Error("nobody asked for namespaces, but there is news")
	}
	w.tell(tenants, []string{"a"})
	if len(w.heard) != 1 {
		t.Error("what somebody asks for the first time is not looked at again")
	}
	for _, step := range []struct {
		name  string
		now   []string
		blind error
		news  bool
	}{
		{"nothing", []string{"a"}, nil, false},
		{"one that comes", []string{"a", "b"}, nil, true},
		{"the same again", []string{"a", "b"}, nil, false},
		{"none can be seen", nil, errors.New("no answer"), false},
		{"seen again", []string{"a", "b"}, nil, false},
		{"one that goes", []string{"b"}, nil, true},
		{"all go", []string{}, nil, true},
	} {
		now, blind = step.now, step.blind
		if got := w.news(choose); got != step.news {
			t.Errorf("%s: news is %t", step.name, got)
		}
	}
	<-w.heard
	w.tell(tenants, []string{"c"}) // of which nothing may have come
	now = []string{"c"}
	if len(w.heard) != 1 || !w.news(choose) || w.news(choose) {
		t.Error("a change that was told is not news once")
	}
}

// TestNamespacesThatComeTogether are news once, and none is overlooked that comes while others are looked at.
func TestNamespacesThatComeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := newNamespaceWatch()
		var now atomic.Pointer[[]string]
		var calls atomic.Int64
		done := make(chan struct{})
		now.Store(&[]string{})
		w.tell(map[string]string{"tenant": "true"}, nil)
		go func() {
			defer close(done)
			w.follow(ctx, func(map[string]string) ([]string, error) { return *now.Load(), nil }, func() { calls.Add(1) })
		}()
		time.Sleep(2 * gathering)
		for i := range 5 {
			more := append(slices.Clone(*now.Load()), fmt.Sprint("n", i))
			now.Store(&more)
			w.look()
			time.Sleep(gathering / 10)
		}
		if calls.Load() != 0 {
			t.Error("the first of several is told alone")
		}
		time.Sleep(gathering)
		if n := calls.Load(); n != 1 {
			t.Errorf("five that come together are told %d times", n)
		}
		now.Store(&[]string{})
		w.look()
		time.Sleep(2 * gathering)
		if n := calls.Load(); n != 2 {
			t.Errorf("then all go, and it was told %d times", n)
		}
		w.look()
		cancel()
		<-done
	})
}

// TestSelectorsThatAreForgotten: nothing is asked for that no revision wants any more, but for that in force.
func TestSelectorsThatAreForgotten(t *testing.T) {
	t.Parallel()
	w := newNamespaceWatch()
	for _, value := range []string{"a", "b", "c", "b"} {
		w.tell(map[string]string{"tenant": value}, []string{"n"})
	}
	asked := map[string]int{}
	w.news(func(selector map[string]string) ([]string, error) {
		asked[selector["tenant"]]++
		return []string{"n"}, nil
	})
	if len(asked) != 2 || asked["b"] != 1 || asked["c"] != 1 {
		t.Errorf("asked for are %v", asked)
	}
}
