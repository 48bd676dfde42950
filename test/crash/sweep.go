package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// PointVariable names the environment variable that makes Sweep try one point only, such as
// 7/after.
const PointVariable = "KUPENSTACK_CRASH_POINT"

// World returns a snapshot of named facts.
type World func(ctx context.Context) (map[string]string, error)

// Scene is a fresh world and a program in it.
type Scene struct {
	Program Program
	// Match selects the requests that are points. Their number must be the same for every
	// undisturbed run, so leave out polling and watches.
	Match faultproxy.Match
	World World
	Until func(ctx context.Context, p *Process) (bool, error) // see Run.Until
}

// Options says what Sweep tries.
type Options struct {
	// Scene makes a world that no earlier run has touched, and its proxies with the given
	// Control. Clean-ups that it registers run when this scene is over.
	Scene func(t testing.TB, control *faultproxy.Control) Scene
	// Sample is how many points are tried, chosen by the seed; 0 means all.
	Sample int
	// Limit bounds each life of the program; 0 means a minute.
	Limit time.Duration
}

// Sweep runs the program once undisturbed and counts its requests; then, for every request
// or a sample, before and after it, in a fresh scene: kills the program there, starts it
// again, lets it end, and reports an error when the world is not that of the undisturbed
// run, the program fails, or the point is not reached. The message tells how to replay it.
func Sweep(t testing.TB, options Options) {
	t.Helper()
	seed := faultproxy.Seed(t)
	dir := t.TempDir()
	undisturbed := attempt(t, options, seed, filepath.Join(dir, "undisturbed"), nil)
	if undisturbed.err != nil {
		t.Fatalf("the undisturbed run: %v", undisturbed.err)
	}
	points, err := choose(undisturbed.requests, options.Sample, seed, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d requests, %d points", undisturbed.requests, len(points))
	for _, point := range points {
		result := attempt(t, options, seed, filepath.Join(dir, strings.ReplaceAll(point.String(), "/", "-")), &point)
		err := result.err
		if err == nil {
			err = difference(undisturbed.world, result.world)
		}
		if err != nil {
			t.Errorf("killed at request %s: %v\nreplay with %s=%d %s=%s", point, err, faultproxy.SeedVariable, seed, PointVariable, point)
		}
	}
}

// choose returns the points to try, in order.
func choose(requests, sample int, seed uint64, test string) ([]Point, error) {
	if requests == 0 {
		return nil, errors.New("no request of the undisturbed run matches: there is no point to kill at")
	}
	if text := os.Getenv(PointVariable); text != "" {
		point, err := ParsePoint(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", PointVariable, err)
		}
		return []Point{point}, nil
	}
	var all []Point
	for request := 1; request <= requests; request++ {
		all = append(all, Point{Request: request}, Point{Request: request, After: true})
	}
	if sample <= 0 || sample >= len(all) {
		return all, nil
	}
	chosen := faultproxy.Rand(seed, "points", test).Perm(len(all))[:sample]
	slices.Sort(chosen)
	points := make([]Point, len(chosen))
	for i, index := range chosen {
		points[i] = all[index]
	}
	return points, nil
}

// outcome is what one attempt led to.
type outcome struct {
	requests int // that matched, over all lives
	world    map[string]string
	err      error
}

// attempt runs the program in a fresh scene, killed at the point unless that is nil.
func attempt(t testing.TB, options Options, seed uint64, dir string, point *Point) outcome {
	t.Helper()
	ctx := t.Context()
	scope := &scope{TB: t}
	defer scope.end()
	control := faultproxy.NewControl(seed)
	scene := options.Scene(scope, control)
	counter := control.Add(faultproxy.Rule{Match: scene.Match})
	run := Run{Program: scene.Program, Dir: dir, Control: control, Until: scene.Until, Limit: options.Limit}
	if point != nil {
		run.Kill = []Trigger{AtRequest(control, scene.Match, *point)}
	}
	lives, err := run.Do(ctx)
	if err == nil && point != nil && !lives[0].Killed {
		err = fmt.Errorf("it was not: the program sent only %d requests that match", counter.Seen())
	}
	if err != nil {
		return outcome{err: err}
	}
	world, err := scene.World(ctx)
	if err != nil {
		err = fmt.Errorf("look at the world: %w", err)
	}
	return outcome{requests: counter.Seen(), world: world, err: err}
}

// scope is a test whose clean-ups run at the end of a scene, not of the test.
type scope struct {
	testing.TB
	cleanups []func()
}

// Cleanup registers a function for the end of the scene; the last registered runs first.
func (s *scope) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *scope) end() {
	for _, cleanup := range slices.Backward(s.cleanups) {
		cleanup()
	}
}
