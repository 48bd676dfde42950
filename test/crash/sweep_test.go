//go:build beds

package crash_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// verdict is a test that notes its failures instead of failing.
type verdict struct {
	testing.TB
	logs, errors []string
}

func (v *verdict) Errorf(format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...))
}

func (v *verdict) Fatalf(format string, args ...any) {
	v.Errorf(format, args...)
	runtime.Goexit()
}

func (v *verdict) Fatal(args ...any) { v.Fatalf("%s", fmt.Sprint(args...)) }

func (v *verdict) Logf(format string, args ...any) {
	v.logs = append(v.logs, fmt.Sprintf(format, args...))
}

// objects is how many the programs create.
const objects = 3

func scene(name string) func(testing.TB, *faultproxy.Control) crash.Scene {
	return func(t testing.TB, control *faultproxy.Control) crash.Scene {
		store := startStore(t)
		proxy := faultproxy.Start(t, faultproxy.Options{Target: store.URL, Control: control})
		return crash.Scene{Program: self(name, proxy.URL(), fmt.Sprint(objects)), World: store.world}
	}
}

// sweep runs in a goroutine of its own, which Fatal may end, and returns what it said.
func sweep(t *testing.T, options crash.Options) *verdict {
	t.Helper()
	v := &verdict{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		crash.Sweep(v, options)
	}()
	<-done
	return v
}

func TestSweepPassesACarefulProgram(t *testing.T) {
	crash.Sweep(t, crash.Options{Scene: scene("careful")})
}

func TestSweepCatchesABlindProgram(t *testing.T) {
	got := sweep(t, crash.Options{Scene: scene("blind")})
	// Killed before its first request it has done nothing yet, so only that point is harmless.
	want := []string{"1/after", "2/before", "2/after", "3/before", "3/after"}
	if len(got.errors) != len(want) {
		t.Fatalf("%d failures, want %d: %q", len(got.errors), len(want), got.errors)
	}
	for i, point := range want {
		for _, part := range []string{
			"killed at request " + point + ": ", `object-1 is "2 of it", want "1 of it"`,
			faultproxy.SeedVariable + "=", crash.PointVariable + "=" + point,
		} {
			if !strings.Contains(got.errors[i], part) {
				t.Errorf("failure %d is %q, want it to have %q", i, got.errors[i], part)
			}
		}
	}
}

func TestSweepTriesASampleThatTheSeedChooses(t *testing.T) {
	tried := func(seed string) []string {
		t.Setenv(faultproxy.SeedVariable, seed)
		// A world that is never the same twice makes every point that is tried a failure.
		worlds := 0
		options := crash.Options{Sample: 2, Scene: func(t testing.TB, control *faultproxy.Control) crash.Scene {
			s := scene("careful")(t, control)
			worlds++
			s.World = func(context.Context) (map[string]string, error) {
				return map[string]string{"number": fmt.Sprint(worlds)}, nil
			}
			return s
		}}
		var points []string
		for _, message := range sweep(t, options).errors {
			points = append(points, strings.TrimSuffix(strings.Fields(message)[3], ":"))
		}
		return points
	}
	first := tried("1")
	if again := tried("1"); len(first) != 2 || !slices.Equal(first, again) {
		t.Errorf("the same seed tries %v and then %v", first, again)
	}
	if other := tried("2"); len(other) != 2 || slices.Equal(first, other) {
		t.Errorf("another seed tries %v as well", other)
	}
}

func TestSweepReplaysOnePoint(t *testing.T) {
	t.Setenv(crash.PointVariable, "2/after")
	got := sweep(t, crash.Options{Scene: scene("blind")})
	if len(got.errors) != 1 || !strings.Contains(got.errors[0], "killed at request 2/after") {
		t.Errorf("failures are %q", got.errors)
	}
}

func TestSweepTellsWhatItCouldNotTry(t *testing.T) {
	tests := []struct{ name, point, program, verb, want string }{
		{"a point that is not reached", "99/before", "careful", "", "the program sent only 6 requests"},
		{"a point that is none", "seven", "careful", "", "is no point"},
		{"no requests", "", "careful", "DELETE", "no request of the undisturbed run matches"},
		{"a program that fails", "", "broken", "", "the undisturbed run: life 1: the program ended"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(crash.PointVariable, test.point)
			got := sweep(t, crash.Options{Scene: func(t testing.TB, control *faultproxy.Control) crash.Scene {
				s := scene(test.program)(t, control)
				s.Match.Verb = test.verb
				return s
			}})
			if len(got.errors) != 1 || !strings.Contains(got.errors[0], test.want) {
				t.Errorf("failures are %q", got.errors)
			}
		})
	}
}

func TestPoint(t *testing.T) {
	for _, text := range []string{"7/after", "1/before"} {
		if point, err := crash.ParsePoint(text); err != nil || point.String() != text {
			t.Errorf("%s became %v, %v", text, point, err)
		}
	}
	for _, text := range []string{"", "7", "0/after", "-1/before", "7/during", "x/after"} {
		if point, err := crash.ParsePoint(text); err == nil {
			t.Errorf("%q was read as %v", text, point)
		}
	}
}

func TestDiff(t *testing.T) {
	want := map[string]string{"a": "1", "b": "2", "c": "3"}
	got := map[string]string{"b": "2", "c": "4", "d": "5"}
	lines := strings.Join(crash.Diff(want, got), "\n")
	if lines != "a is missing, want \"1\"\nc is \"4\", want \"3\"\nd is \"5\", want it not to be there" {
		t.Errorf("got\n%s", lines)
	}
	if lines := crash.Diff(nil, nil); len(lines) != 0 {
		t.Errorf("equal worlds differ: %v", lines)
	}
}
