package helm

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

// TestLockTellsOnceWhatChartsHaveInCommon has a repository that is none named once, and what is missing in another by
// its chart.
func TestLockTellsOnceWhatChartsHaveInCommon(t *testing.T) {
	nothing := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(nothing.Close)
	options := Options{CacheDir: t.TempDir(), Transport: nothing.Client().Transport.(*http.Transport)}
	var wanted []chartlock.Wanted
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		wanted = append(wanted, wantedOf(nothing.URL, name, "~2026.1"))
	}
	_, err := Lock(t.Context(), options, wanted)
	if err == nil || strings.Count(err.Error(), "404 Not Found") != 1 || !strings.HasPrefix(err.Error(), "charts a, b, c, d, e and 2 others of "+nothing.URL+": the index: ") {
		t.Errorf("got %v", err)
	}
	if _, err := Lock(t.Context(), options, wanted[:1]); err == nil || !strings.HasPrefix(err.Error(), "chart a ~2026.1 of "+nothing.URL+": the index: ") {
		t.Errorf("of one chart: %v", err)
	}
}

func TestTogether(t *testing.T) {
	wanted := []chartlock.Wanted{wantedOf("one", "a", ""), wantedOf("one", "b", "1"), wantedOf("two", "c", ""), wantedOf("one", "d", "")}
	away, other, late := errors.New("away"), errors.New("other"), errors.New("late")
	of := func(i int, err error) error { return fmt.Errorf("chart %s: %w", wanted[i], err) }
	err := together(wanted, []error{of(0, away), of(1, away), of(2, away), of(3, other)})
	if want := "charts a and b of one: away\nchart c of two: away\nchart d of one: other"; err == nil || err.Error() != want || !errors.Is(err, away) {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := together(wanted, []error{nil, late, nil, late}); err == nil || err.Error() != "late" {
		t.Errorf("what is of no chart: %v", err)
	}
	if err := together(wanted, make([]error, 4)); err != nil {
		t.Errorf("nothing failed: %v", err)
	}
}
