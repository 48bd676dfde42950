package openstack_test

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// tested is a test on such a cloud, with what the inventory has of it.
type tested struct {
	*openstack.Driver
	cloud  *testedCloud
	target unit.Target
	want   cty.Value
}

func newTested(t *testing.T) *tested {
	t.Helper()
	cloud := newTestedCloud()
	spec := &unit.SmokeTest{ControlPlane: "one", Choices: map[string]unit.Choice{"image": {ID: "i"}, "flavor": {ID: "f"}, "network": {ID: "n"}}}
	return &tested{
		Driver: (&asked{answer: cloud.ServeHTTP}).driver(t), cloud: cloud, want: spec.Desired(nil),
		target: unit.Target{Address: addr.MustParseObject("system.smoke_test"), Spec: spec, Locator: spec.Locator(), UID: rand.Text(), Mark: "kupenstack:" + strings.ToLower(rand.Text()[:16])},
	}
}

func (x *tested) look(t *testing.T) (unit.State, unit.Diff) {
	t.Helper()
	states, err := x.Observe(t.Context(), []unit.Target{x.target})
	if err != nil {
		t.Fatal(err)
	}
	st := states[x.target.Address]
	return st, x.Compare(x.target, x.want, st)
}

// step does what the engine does with a unit, and tells whether there was anything to do. Without a record it is killed
// before it could write one.
func (x *tested) step(t *testing.T, record bool) (unit.State, bool) {
	t.Helper()
	st, diff := x.look(t)
	if diff.Action == unit.ActionNone {
		return st, false
	}
	if diff.Waits {
		return st, true
	}
	after, err := x.Apply(t.Context(), x.target, x.want, st)
	if err != nil {
		t.Fatal(err)
	}
	if record {
		x.target.Run = after.Run
	}
	return after, true
}

const mostSteps = 100

func (x *tested) converge(t *testing.T) (unit.State, unit.Diff) {
	t.Helper()
	for range mostSteps {
		if _, more := x.step(t, true); !more {
			return x.look(t)
		}
	}
	t.Fatalf("it comes to no end: %+v", x.target.Run)
	return unit.State{}, unit.Diff{}
}

func (x *tested) nothingIsLeft(t *testing.T) {
	t.Helper()
	if len(x.cloud.servers)+len(x.cloud.volumes) > 0 {
		t.Errorf("it leaves %v, %v", x.cloud.servers, x.cloud.volumes)
	}
}

func wholeRun() []string {
	return []string{
		"POST servers", "POST volumes", "POST os-volume_attachments", "DELETE os-volume_attachments",
		"POST os-volume_attachments", "DELETE os-volume_attachments", "DELETE servers", "DELETE volumes",
	}
}

func TestASmokeTestRunsOnceForEachStateOfTheServices(t *testing.T) {
	x := newTested(t)
	if st, diff := x.look(t); diff.Action != unit.ActionCreate || !st.Gone() || diff.Reason != "the smoke test runs: it never passed" {
		t.Errorf("before: %+v, %+v", st, diff)
	}
	var told []string
	for more := true; more; {
		var st unit.State
		if st, more = x.step(t, true); len(told) == 0 || told[len(told)-1] != st.Message {
			told = append(told, st.Message)
		}
	}
	if !slices.Equal(x.cloud.changes, wholeRun()) {
		t.Errorf("it asked for %q", x.cloud.changes)
	}
	if !slices.Contains(told, "the volume is being attached for the second time") {
		t.Errorf("it told %q", told)
	}
	x.nothingIsLeft(t)
	looks := x.cloud.looks
	if st, diff := x.look(t); !st.Ready() || diff.Action != unit.ActionNone || x.cloud.looks != looks {
		t.Errorf("after it passed: %+v, %+v, %d looks", st, diff, x.cloud.looks-looks)
	}

	spec := *x.target.Spec.(*unit.SmokeTest)
	spec.ControlPlane = "two"
	x.target.Spec = &spec
	if _, diff := x.look(t); diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, "the services or the block changed") || x.cloud.looks != looks {
		t.Errorf("with other releases: %+v", diff)
	}
	if st, _ := x.converge(t); !st.Ready() || len(x.cloud.changes) != 2*len(wholeRun()) {
		t.Errorf("after the second run: %+v, %q", st, x.cloud.changes)
	}
	x.nothingIsLeft(t)
}

func TestASmokeTestWithoutVolume(t *testing.T) {
	x := newTested(t)
	no := false
	x.target.Spec.(*unit.SmokeTest).Volume = &no
	if st, _ := x.converge(t); !st.Ready() || !slices.Equal(x.cloud.changes, []string{"POST servers", "DELETE servers"}) {
		t.Errorf("got %+v, %q", st, x.cloud.changes)
	}
}

// Whatever fails, the run takes away what it has made, and says which step it was and why.
func TestASmokeTestFails(t *testing.T) {
	ends := func(from, to string) func(map[string]any, string) string {
		return func(thing map[string]any, status string) string {
			if status != from {
				return ""
			}
			if to == "ERROR" {
				thing["fault"] = map[string]any{"message": "No valid host was found."}
			}
			return to
		}
	}
	for _, test := range []struct {
		name   string
		change func(*testedCloud)
		says   []string
	}{
		{"no host", func(c *testedCloud) { c.settle = ends("BUILD", "ERROR") }, []string{"an instance is being started", "ERROR", "No valid host was found.", requestOf}},
		{"not created", func(c *testedCloud) { c.refuse = map[string]int{"POST servers": http.StatusConflict} }, []string{"an instance is being started", "409", "no luck", requestOf}},
		{"no volume", func(c *testedCloud) { c.settle = ends("creating", "error") }, []string{"a volume is being made", "in the state error"}},
		{"attaching is refused", func(c *testedCloud) {
			c.refuse = map[string]int{"POST os-volume_attachments": http.StatusInternalServerError}
		}, []string{"the volume is being attached: ", "500", "no luck", requestOf}},
		{"attaching comes to nothing", func(c *testedCloud) { c.settle = ends("attaching", "available") }, []string{"the volume is being attached: ", "available again", requestOf}},
		{"detaching comes to nothing", func(c *testedCloud) { c.settle = ends("detaching", "in-use") }, []string{"the volume is being detached: ", "in-use again"}},
		{"attaching fails the second time", func(c *testedCloud) {
			attached := 0
			c.settle = func(_ map[string]any, status string) string {
				if status == "attaching" {
					if attached++; attached == 2 {
						return "error_attaching"
					}
				}
				return ""
			}
		}, []string{"the volume is being attached for the second time", "error_attaching"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newTested(t)
			test.change(x.cloud)
			if test.name == "attaching fails the second time" { // such a volume is for a person
				for range mostSteps {
					x.step(t, true)
				}
				st, _ := x.look(t)
				if st.Health != unit.HealthFailed || len(x.cloud.servers) > 0 || !strings.Contains(st.Message, "by hand") {
					t.Errorf("got %+v", st)
				}
				for _, volume := range x.cloud.volumes {
					volume["status"] = "available" // somebody has reset it
				}
			}
			st, diff := x.converge(t)
			if st.Health != unit.HealthFailed || st.Ready() || diff.Action != unit.ActionNone || x.target.Run.Failed != 1 || st.After <= 0 {
				t.Fatalf("got %+v, %+v, %+v", st, diff, x.target.Run)
			}
			for _, text := range test.says {
				if !strings.Contains(st.Message, text) {
					t.Errorf("%q does not say %q", st.Message, text)
				}
			}
			x.nothingIsLeft(t)
		})
	}
}

func TestASmokeTestIsTriedAgainAndGivenUp(t *testing.T) {
	x := newTested(t)
	x.cloud.refuse = map[string]int{"POST servers": http.StatusInternalServerError}
	for n := 1; n <= 3; n++ {
		if st, _ := x.converge(t); st.Health != unit.HealthFailed || x.target.Run.Failed != n || len(x.cloud.changes) != n {
			t.Fatalf("run %d: %+v, %+v, %q", n, st, x.target.Run, x.cloud.changes)
		}
		run := *x.target.Run
		run.Again = 1 // long ago
		x.target.Run = &run
	}
	looks := x.cloud.looks
	if st, diff := x.look(t); st.Health != unit.HealthFailed || diff.Action != unit.ActionNone || x.cloud.looks != looks || !strings.Contains(st.Message, "3 runs have failed") {
		t.Errorf("given up: %+v, %+v", st, diff)
	}
	spec := *x.target.Spec.(*unit.SmokeTest)
	spec.Retry = "once more"
	x.target.Spec, x.cloud.refuse = &spec, nil
	if st, _ := x.converge(t); !st.Ready() {
		t.Errorf("asked for once more: %+v", st)
	}
}

// A process that is killed after any step, before it could record it, makes nothing twice and leaves nothing.
func TestASmokeTestAfterACutOff(t *testing.T) {
	for n := 1; n < mostSteps; n++ {
		x := newTested(t)
		more := true
		for k := 1; k <= n && more; k++ {
			_, more = x.step(t, k != n)
		}
		if !more {
			if n < len(wholeRun()) {
				t.Errorf("%d steps are enough", n)
			}
			return
		}
		if st, _ := x.converge(t); !st.Ready() || !slices.Equal(x.cloud.changes, wholeRun()) {
			t.Errorf("cut off at step %d: %+v, %q", n, st, x.cloud.changes)
		}
		x.nothingIsLeft(t)
	}
}

// A gateway that answers before the service may have had it made, after which it is made once more. All of it goes.
func TestASmokeTestLeavesNothingThatWasMadeTwice(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		x := newTested(t)
		for x.target.Run == nil || x.target.Run.Volume == "" {
			x.step(t, true)
		}
		metadata := map[string]any{"kupenstack_mark": x.target.Mark}
		x.cloud.servers["twice"] = map[string]any{"id": "twice", "name": "kupenstack-smoke-test", "status": "ACTIVE", "metadata": metadata}
		x.cloud.volumes["twice"] = map[string]any{"id": "twice", "name": "kupenstack-smoke-test", "status": "available", "metadata": metadata}
		if wanted {
			if st, _ := x.converge(t); !st.Ready() {
				t.Errorf("got %+v", st)
			}
		} else {
			x.target.Spec = nil
			for st, _ := x.look(t); !st.Gone(); {
				var err error
				if st, err = x.Delete(t.Context(), x.target, st); err != nil {
					t.Fatal(err)
				}
			}
		}
		x.nothingIsLeft(t)
	}
}

func TestASmokeTestThatTakesTooLong(t *testing.T) {
	x := newTested(t)
	x.cloud.settle = func(thing map[string]any, status string) string { return status }
	for range 3 {
		x.step(t, true)
	}
	run := *x.target.Run
	run.Since = time.Now().Add(-time.Hour).Unix()
	x.target.Run = &run
	if st, _ := x.converge(t); st.Health != unit.HealthFailed || !strings.Contains(st.Message, "it was not done after 10m0s") || !strings.Contains(st.Message, "BUILD") {
		t.Errorf("got %+v", st)
	}
	x.nothingIsLeft(t)
}

// When nobody wants the test any more, or another one, what there is of a run goes, and nothing else.
func TestASmokeTestIsTakenAway(t *testing.T) {
	for n := range 20 {
		x := newTested(t)
		others := map[string]any{"id": "other", "name": "kupenstack-smoke-test", "status": "ACTIVE", "metadata": map[string]any{"kupenstack_mark": "kupenstack:other"}}
		x.cloud.servers["other"] = others
		for range n {
			x.step(t, true)
		}
		open := x.target.Run.Open()
		x.target.Spec = nil
		looks := x.cloud.looks
		st, diff := x.look(t)
		if !open && (!st.Gone() || x.cloud.looks != looks) || diff.Action != unit.ActionNone {
			t.Errorf("after %d steps: %+v, %+v", n, st, diff)
		}
		for range mostSteps {
			if st.Gone() {
				break
			}
			var err error
			if st, err = x.Delete(t.Context(), x.target, st); err != nil {
				t.Fatal(err)
			}
		}
		if len(x.cloud.servers) != 1 || len(x.cloud.volumes) != 0 || x.cloud.servers["other"] == nil {
			t.Errorf("after %d steps it leaves %v, %v", n, x.cloud.servers, x.cloud.volumes)
		}
	}
}

func TestASmokeTestOfWhatIsNoMoreIsStopped(t *testing.T) {
	x := newTested(t)
	for range 6 {
		x.step(t, true)
	}
	spec := *x.target.Spec.(*unit.SmokeTest)
	spec.ControlPlane = "two"
	x.target.Spec = &spec
	if _, diff := x.look(t); !diff.Ends || !diff.Continues {
		t.Errorf("it needs what it waits for to end: %+v", diff)
	}
	if st, _ := x.converge(t); !st.Ready() || x.target.Run.Passed != spec.Digest() {
		t.Errorf("got %+v", st)
	}
	x.nothingIsLeft(t)
}
