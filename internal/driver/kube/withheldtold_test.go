package kube

import (
	"errors"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// TestWhatHappensToALapsedProcessIsTold: a process that was paused and is in charge still, once it has renewed the lease, hears
// of what happened meanwhile, though its watches had ended and were begun anew.
func TestWhatHappensToALapsedProcessIsTold(t *testing.T) {
	k := &watchedKeeper{secret: keptSecret("2", keptKey), over: make(chan struct{}), events: make(chan map[string]any)}
	server := httptest.NewServer(k)
	defer server.Close()
	var lapsed atomic.Bool
	c, err := New(Options{Access: NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s", Reads: func() error {
		if lapsed.Load() {
			return unit.ErrNotWriter
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var heard atomic.Int64
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: "s", Name: installation}
	defer c.Subscribe(func(of unit.ObjectRef) {
		if of == ref {
			heard.Add(1)
		}
	})()
	if found, err := c.Get(t.Context(), ref); err != nil || found[ref] == nil {
		t.Fatalf("at first: %v %v", found, err)
	}

	lapsed.Store(true)
	k.set(func() {
		close(k.over)
		k.over, k.secret = make(chan struct{}), nil
	})
	for range 2 { // the second is of a watch that has shown nothing
		await.Until(t, "a look to be held back", func() bool {
			_, err := c.Get(t.Context(), ref)
			var partial *PartialError
			return errors.As(err, &partial) && errors.Is(partial.Unknown(ref), unit.ErrNotWriter)
		})
	}
	if n := heard.Load(); n != 0 {
		t.Errorf("%d times it was told of what nobody could see", n)
	}
	lapsed.Store(false)
	if found, err := c.Get(t.Context(), ref); err != nil || found[ref] != nil {
		t.Fatalf("when it may read again: %v %v", found, err)
	}
	await.Until(t, "word of what is gone", func() bool { return heard.Load() > 0 })
}
