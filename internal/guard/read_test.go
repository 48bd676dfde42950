package guard

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// What reads goes no further once that is lost, wherever it is by then, but for what a process asks that waits.
func TestAsked(t *testing.T) {
	s := open(t, "HTTP/1.1")
	var r right
	get := func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v3/auth/tokens", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := Asked{Next: s.client, Ask: Reading(ctx, r.ask)}.RoundTrip(request)
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	if err := get(t.Context()); err != nil || s.arrived.Load() != 1 {
		t.Errorf("while it may: %v", err)
	}
	r.lost.Store(true)
	if err := get(t.Context()); !errors.Is(err, errLost) || !NotSent(err) || s.arrived.Load() != 1 {
		t.Errorf("when that is lost: %v", err)
	}
	if err := get(Waiting(t.Context())); err != nil || s.arrived.Load() != 2 {
		t.Errorf("of one that waits: %v", err)
	}
	r.lost.Store(false)
	if err := get(t.Context()); err != nil || s.arrived.Load() != 3 {
		t.Errorf("when it may again: %v", err)
	}
}
