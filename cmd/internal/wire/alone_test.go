package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// TestUntilAlone: what others write at the same time is written again after pauses that differ, so many times at most, and
// what fails otherwise is not.
func TestUntilAlone(t *testing.T) {
	broken := errors.New("the server is away")
	for name, test := range map[string]struct {
		conflicts int
		fails     error
		tries     int
		says      string
	}{
		"nobody else":      {0, nil, 1, ""},
		"somebody for now": {4, nil, 5, ""},
		"somebody always":  {1000, nil, maxWrites, "this is changed all the time by others"},
		"another fault":    {2, broken, 3, "the server is away"},
	} {
		t.Run(name, func(t *testing.T) {
			took := map[time.Duration]bool{}
			for range 5 {
				synctest.Test(t, func(t *testing.T) {
					begun, tries := time.Now(), 0
					err := untilAlone(t.Context(), "this", func() error {
						if tries++; tries <= test.conflicts {
							return fmt.Errorf("written: %w", kube.ErrConflict)
						}
						return test.fails
					})
					if tries != test.tries || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
						t.Errorf("after %d tries: %v", tries, err)
					}
					if test.conflicts > maxWrites && !errors.Is(err, kube.ErrConflict) {
						t.Errorf("it is no conflict: %v", err)
					}
					if waited := time.Since(begun); waited > 3*time.Second {
						t.Errorf("it took %v", waited)
					} else {
						took[waited] = true
					}
				})
			}
			if test.conflicts > 0 && len(took) < 2 {
				t.Errorf("it always took %v", took)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := untilAlone(ctx, "this", func() error { cancel(); return kube.ErrConflict })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("whoever asks has gone, and it says %v", err)
		}
	})
}
