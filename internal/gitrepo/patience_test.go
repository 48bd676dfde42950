package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// trickle gives so many bytes every second, until it has given all or the context ends.
type trickle struct {
	context.Context
	each, left int
}

func (t *trickle) Read(p []byte) (int, error) {
	select {
	case <-t.Done():
		return 0, t.Err()
	case <-time.After(time.Second):
	}
	n := min(t.each, t.left, len(p))
	if t.left -= n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A download may take longer than one timeout, as long as enough of it comes in each.
func TestPatience(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		name         string
		each, all    int
		caller       time.Duration
		takes        time.Duration
		stops, tells string
	}{
		{"nothing in time", 0, 0, 0, time.Second, "", ""},
		{"fast", mib, 30 * mib, 0, 31 * time.Second, "", ""},
		{"slow, and long", mib / 30, 2 * mib, 0, 62 * time.Second, "", ""},
		{"longer than a timeout", mib / 50, 5 * mib, 0, 252 * time.Second, "", ""},
		{"next to nothing from the start", mib / 61, 5 * mib, 0, time.Minute, "stalled", "no answer within 1m0s"},
		{"longer than may be", mib / 50, 50 * mib, 0, 10 * time.Minute, "over", "not done within 10m0s"},
		{"less time of the caller", mib / 50, 50 * mib, 90 * time.Second, 90 * time.Second, "over", "not done within 1m30s"},
		{"hardly any time of the caller", mib / 50, 50 * mib, 5 * time.Second, 5 * time.Second, "over", "no answer within 5s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outer := t.Context()
				if test.caller > 0 {
					limited, cancel := context.WithTimeout(outer, test.caller)
					defer cancel()
					outer = limited
				}
				began := time.Now()
				ctx, p := patient(outer, time.Minute)
				var err error
				for r, part := p.counted(&trickle{ctx, test.each, test.all}), make([]byte, mib); err == nil; {
					_, err = r.Read(part)
				}
				if errors.Is(err, io.EOF) {
					err = nil
				}
				if took := time.Since(began); took != test.takes {
					t.Errorf("it took %v", took)
				}
				if (err != nil) != (test.stops != "") {
					t.Fatalf("the error is %v", err)
				}
				if err != nil {
					if !errors.Is(endOf(ctx), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), errStalled) != (test.stops == "stalled") {
						t.Errorf("it ended by %v", context.Cause(ctx))
					}
					if said := p.late(ctx); said != test.tells {
						t.Errorf("it says %q", said)
					}
				}
				p.stop()
				if ctx.Err() == nil {
					t.Error("the context goes on")
				}
			})
		})
	}
}

// What stalls halfway is given up a timeout after the last of it.
func TestPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, p := patient(t.Context(), time.Minute)
		defer p.stop()
		r := p.counted(&trickle{ctx, headway, 3 * headway})
		for range 3 {
			if _, err := r.Read(make([]byte, headway)); err != nil {
				t.Fatal(err)
			}
		}
		<-ctx.Done()
		if took, want := time.Since(began), 3*time.Second+time.Minute; took != want {
			t.Errorf("it took %v", took)
		}
		if said, want := p.late(ctx), fmt.Sprintf("less than %d bytes came within 1m0s", headway); said != want {
			t.Errorf("it says %q", said)
		}
		if n, err := r.Read(make([]byte, headway)); err == nil || n != 0 {
			t.Errorf("%d bytes, %v", n, err)
		}
	})
}
