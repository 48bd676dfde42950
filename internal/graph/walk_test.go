package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/graph"
)

// summary writes results as "a:succeeded b:upstream failed(a)".
func summary(results []graph.Result[string]) string {
	var parts []string
	for _, r := range results {
		part := r.Node + ":" + r.Outcome.String()
		if len(r.Causes) > 0 {
			part += "(" + strings.Join(r.Causes, ",") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

func TestWalkVisitsInOrder(t *testing.T) {
	g := build("d: b c", "b: a", "c: a", "e")
	var visited []string
	results, err := g.Walk(t.Context(), 1, func(_ context.Context, k string) error {
		visited = append(visited, k)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := join(visited); got != "a b c d e" {
		t.Errorf("visited %s", got)
	}
	if got, want := summary(results), "a:succeeded b:succeeded c:succeeded d:succeeded e:succeeded"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWalkTracesWhatFollowsFromAFailure(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name  string
		lines []string
		fail  string
		want  string
	}{
		{"one cause far downstream", []string{"c: b", "b: a", "x"}, "a", "a:failed b:upstream failed(a) c:upstream failed(a) x:succeeded"},
		{"two causes", []string{"d: b c", "b: a"}, "a c", "a:failed b:upstream failed(a) c:failed d:upstream failed(a,c)"},
		{"a cause that comes by two ways", []string{"d: b c", "b: a", "c: a"}, "a", "a:failed b:upstream failed(a) c:upstream failed(a) d:upstream failed(a)"},
		{"what the failure does not touch", []string{"nova: keystone", "glance: keystone", "web: nova"}, "nova", "glance:succeeded keystone:succeeded nova:failed web:upstream failed(nova)"},
	}
	for _, tt := range tests {
		fails := strings.Fields(tt.fail)
		results, err := build(tt.lines...).Walk(t.Context(), 0, func(_ context.Context, k string) error {
			if slices.Contains(fails, k) {
				return broken
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := summary(results); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
		for _, r := range results {
			if errors.Is(r.Err, broken) != slices.Contains(fails, r.Node) {
				t.Errorf("%s: the error of %s is %v", tt.name, r.Node, r.Err)
			}
		}
	}
}

func TestWalkRefusesACycle(t *testing.T) {
	results, err := build("a: b", "b: a", "c").Walk(t.Context(), 0, func(context.Context, string) error {
		t.Error("something was visited")
		return nil
	})
	var cycleErr *graph.CycleError[string]
	if !errors.As(err, &cycleErr) || results != nil {
		t.Errorf("got %v, %v", results, err)
	}
}

// In a bubble of synctest time passes only when everything waits, so the time a walk takes tells
// what ran at the same time.
func TestWalkRunsInParallelUpToItsLimit(t *testing.T) {
	tests := []struct {
		limit int
		want  time.Duration
	}{{0, 2 * time.Second}, {100, 2 * time.Second}, {2, 4 * time.Second}, {1, 7 * time.Second}}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			g := build("a", "b", "c", "d", "e", "y: a b", "z: c d e")
			var mu sync.Mutex
			running, most := 0, 0
			start := time.Now()
			_, err := g.Walk(t.Context(), tt.limit, func(context.Context, string) error {
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				time.Sleep(time.Second) // the bubble's clock: stands for work
				mu.Lock()
				running--
				mu.Unlock()
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != tt.want {
				t.Errorf("with limit %d the walk takes %v, want %v", tt.limit, took, tt.want)
			}
			if tt.limit > 0 && most > tt.limit {
				t.Errorf("with limit %d, %d ran at once", tt.limit, most)
			}
		})
	}
}

func TestWalkDoesNotWaitForWhatANodeDoesNotNeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := build("after: fast", "slow")
		var order []string
		var mu sync.Mutex
		_, err := g.Walk(t.Context(), 0, func(_ context.Context, k string) error {
			if k == "slow" {
				time.Sleep(time.Hour)
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, k)
			return nil
		})
		if err != nil || join(order) != "fast after slow" {
			t.Errorf("finished %s, %v", join(order), err)
		}
	})
}

func TestWalkStopsWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := build("b: a", "c: b", "heeds", "finishes", "fails", "f: fails", "fc: fails heeds", "z: finishes")
		reason := errors.New("a new commit")
		ctx, cancel := context.WithCancelCause(t.Context())
		results, err := g.Walk(ctx, 4, func(ctx context.Context, k string) error {
			switch k {
			case "a":
				time.Sleep(time.Second)
				cancel(reason)
				return nil
			case "heeds":
				<-ctx.Done()
				return fmt.Errorf("wait: %w", context.Cause(ctx))
			case "finishes":
				time.Sleep(time.Minute)
				return nil
			case "fails":
				time.Sleep(time.Minute)
				return errors.New("broken")
			}
			t.Errorf("%s was visited", k)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "a:succeeded b:cancelled c:cancelled f:upstream failed(fails) fails:failed " +
			"fc:upstream failed(fails) finishes:succeeded heeds:cancelled z:cancelled"
		if got := summary(results); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		for _, r := range results {
			if r.Node == "heeds" && !errors.Is(r.Err, reason) {
				t.Errorf("the error of heeds is %v", r.Err)
			}
		}
	}) // the bubble fails when a goroutine is left
}

func TestWalkThatIsCancelledBeforehandVisitsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results, err := build("b: a", "c").Walk(ctx, 0, func(context.Context, string) error {
		t.Error("something was visited")
		return nil
	})
	if want := "a:cancelled b:cancelled c:cancelled"; err != nil || summary(results) != want {
		t.Errorf("got %s, %v", summary(results), err)
	}
}

func TestWalkOfNothing(t *testing.T) {
	if results, err := build().Walk(t.Context(), 0, nil); err != nil || len(results) != 0 {
		t.Errorf("got %v, %v", results, err)
	}
	if got := graph.Outcome(0).String(); got != "none" {
		t.Errorf("the zero outcome is %q", got)
	}
}

// TestWalkOfALargeGraph runs for the race detector, and checks every node against its upstream.
func TestWalkOfALargeGraph(t *testing.T) {
	g := large(2_000, 5_000)
	before := runtime.NumGoroutine()
	var done sync.Map
	results, err := g.Walk(t.Context(), 16, func(_ context.Context, k string) error {
		for _, e := range g.DependsOn(k) {
			if _, ok := done.Load(e.To); !ok {
				t.Errorf("%s began before %s was done", k, e.To)
			}
		}
		if strings.HasSuffix(k, `77"]`) {
			return errors.New("broken")
		}
		done.Store(k, true)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := runtime.NumGoroutine(); after > before+16 {
		t.Errorf("%d goroutines became %d", before, after)
	}
	failed := map[string]bool{}
	for _, r := range results {
		failed[r.Node] = r.Outcome == graph.Failed
	}
	for _, r := range results {
		var want []string
		for _, k := range g.Dependencies(r.Node) {
			if failed[k] {
				want = append(want, k)
			}
		}
		if (r.Outcome == graph.Skipped) != (len(want) > 0) || !slices.Equal(r.Causes, want) {
			t.Errorf("%s: %v because of %v, want %v", r.Node, r.Outcome, r.Causes, want)
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	g := large(10_000, 50_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Walk(b.Context(), 16, func(context.Context, string) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWalkAllFail has a failure at every root, the worst case for tracing causes.
func BenchmarkWalkAllFail(b *testing.B) {
	g := large(10_000, 50_000)
	broken := errors.New("broken")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Walk(b.Context(), 16, func(context.Context, string) error { return broken }); err != nil {
			b.Fatal(err)
		}
	}
}
