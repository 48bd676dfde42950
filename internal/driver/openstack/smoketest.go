package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// mostRuns is how many runs in a row may fail for the same state of the cloud.
	mostRuns = 3
	// runPause is how long the second run waits after the first one; each later one waits five times as long.
	runPause = time.Minute
	// testPause is when to look again at what Nova or Cinder are about.
	testPause = instancePause
)

// seenTest is what a state keeps of a test.
type seenTest struct {
	things things
	move   move
	idle   bool // no run is under way
	due    bool // one may begin now
}

func smokeTest(t unit.Target) *unit.SmokeTest {
	test, _ := t.Spec.(*unit.SmokeTest)
	return test
}

func isSmokeTest(t unit.Target) bool {
	return smokeTest(t) != nil || t.Locator.Kind == unit.KindSmokeTest
}

// observeTests looks at the targets that are tests, and returns the others in the same slice. Without a run under way
// that takes no request.
func (d *Driver) observeTests(ctx context.Context, targets []unit.Target, seen *sights) []unit.Target {
	others := targets[:0]
	for _, t := range targets {
		if !isSmokeTest(t) {
			others = append(others, t)
			continue
		}
		state, err := d.testState(ctx, t, t.Run)
		if err != nil {
			seen.failed(t.Address.String(), err, t)
			continue
		}
		seen.states[t.Address] = state
	}
	return others
}

// testState tells how it stands with a test whose runs are on record so.
func (d *Driver) testState(ctx context.Context, t unit.Target, run *unit.Run) (unit.State, error) {
	if !run.Open() {
		return d.restingState(t, run), nil
	}
	s, err := d.testSession(ctx, t, run.Project)
	if err != nil {
		return unit.State{}, err
	}
	f, err := s.lookForTest(ctx, t, run)
	if err != nil {
		return unit.State{}, err
	}
	m := next(t, *run, f, d.now())
	st := unit.State{
		Existence: unit.Present, Health: unit.HealthProgressing, Owned: true, Mark: t.Mark, Project: run.Project,
		Message: m.message, After: testPause, Run: run, Observed: seenTest{things: f, move: m},
	}
	if f.empty() && smokeTest(t) == nil {
		st.Existence = unit.Absent
	}
	if m.stuck {
		st.Health, st.After = unit.HealthFailed, 0
	}
	return st, nil
}

// restingState is for a test of which no run is under way, so that nothing of it is there.
func (d *Driver) restingState(t unit.Target, run *unit.Run) unit.State {
	test := smokeTest(t)
	if run == nil || test == nil {
		return unit.State{Existence: unit.Absent, Run: run, Observed: seenTest{idle: true, due: true}}
	}
	st := unit.State{Existence: unit.Present, Owned: true, Installed: true, Health: unit.HealthReady, Run: run}
	seen := seenTest{idle: true, due: true}
	switch digest := test.Digest(); {
	case run.Passed == digest:
		st.Applied = digest
	case run.For == digest && run.Failed > 0:
		st.Installed, st.Health, st.Message = false, unit.HealthFailed, run.Why
		wait := time.Unix(run.Again, 0).Sub(d.now())
		seen.due = run.Failed < mostRuns && wait <= 0
		switch {
		case run.Failed >= mostRuns:
			st.Message += fmt.Sprintf("; %d runs have failed, and there is none before the services or the block change", run.Failed)
		case wait > 0:
			st.After = wait
			st.Message += "; it runs again later"
		}
	}
	st.Observed = seen
	return st
}

// now is the time that deadlines are held against.
func (d *Driver) now() time.Time { return d.connector.refusals.now() }

// testSession is a session in the project of a run. That of our own user needs no other token.
func (d *Driver) testSession(ctx context.Context, t unit.Target, project string) (*session, error) {
	s, err := d.connector.session(ctx)
	if err == nil {
		err = s.serves(t)
	}
	if err != nil || project == "" || project == s.project {
		return s, err
	}
	return s.inProject(ctx, project)
}

// compareTest tells whether a test runs, or goes on. It is never drift: nobody can change a test that is over.
func compareTest(t unit.Target, st unit.State) unit.Diff {
	test := smokeTest(t)
	seen, ok := st.Observed.(seenTest)
	switch {
	case st.Existence == unit.Unknown:
		return unit.Diff{Action: unit.ActionUnknown, Reason: st.Message}
	case test == nil:
		return unit.Diff{Action: unit.ActionNone}
	case !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	case !seen.idle:
		m := seen.move
		if m.stuck {
			return unit.Diff{Action: unit.ActionNone}
		}
		return unit.Diff{
			Action: unit.ActionUpdate, Continues: true, Reason: m.message, Ends: m.ends,
			Waits: m.act == actNone && m.to == "",
		}
	case st.Run != nil && st.Run.Passed == test.Digest(), !seen.due:
		return unit.Diff{Action: unit.ActionNone}
	case st.Existence == unit.Absent:
		return unit.Diff{Action: unit.ActionCreate, Reason: "the smoke test runs: it never passed"}
	case st.Run.For == test.Digest() && st.Run.Failed > 0:
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Reason: fmt.Sprintf("the smoke test runs again: run %d of %d failed", st.Run.Failed, mostRuns)}
	case st.Run.Passed == "":
		return unit.Diff{Action: unit.ActionUpdate, Continues: true, Reason: "the smoke test runs: it never passed"}
	default:
		return unit.Diff{Action: unit.ActionUpdate, Reason: "the smoke test runs: the services or the block changed since it passed"}
	}
}

// applyTest takes the next step of a run. Each step is on record before the next one is taken, and what a step makes bears
// the mark, so that a process that is killed in between goes on with what it finds.
func (d *Driver) applyTest(ctx context.Context, t unit.Target, desired cty.Value, st unit.State) (unit.State, error) {
	test := smokeTest(t)
	seen, ok := st.Observed.(seenTest)
	if test == nil || !ok {
		return unit.State{}, errors.New("there is nothing to apply")
	}
	if seen.idle {
		return d.beginRun(ctx, t, desired, st)
	}
	return d.takeStep(ctx, t, desired, st, seen)
}

// beginRun puts on record that a run is under way, and where, before anything is made.
func (d *Driver) beginRun(ctx context.Context, t unit.Target, desired cty.Value, st unit.State) (unit.State, error) {
	run := unit.Run{For: smokeTest(t).Digest(), Project: idOf(desired, unit.TestProject)}
	if st.Run != nil {
		run.Passed = st.Run.Passed
		if st.Run.For == run.For {
			run.Failed = st.Run.Failed
		}
	}
	if run.Project == "" {
		s, err := d.testSession(ctx, t, "")
		if err != nil {
			return unit.State{}, err
		}
		run.Project = s.project
	}
	d.enter(&run, stepBoot)
	return d.testState(ctx, t, &run)
}

// enter has a run go to a step.
func (d *Driver) enter(run *unit.Run, step string) {
	run.Step, run.Since = step, d.now().Unix()
}

// takeStep sends one request, or goes to the next step, which is on record before its request is sent. An answer of a service that says no ends it; where there was no
// answer, the same is tried again after a look at what it did.
func (d *Driver) takeStep(ctx context.Context, t unit.Target, desired cty.Value, st unit.State, seen seenTest) (unit.State, error) {
	run, f, m := *st.Run, seen.things, seen.move
	s, err := d.testSession(ctx, t, run.Project)
	if err != nil {
		return unit.State{}, err
	}
	run.Instance, run.Volume = first(run.Instance, textAt(f.server, "id")), first(run.Volume, textAt(f.volume, "id"))
	if m.act == actNone && m.failure != "" {
		run.Why = withRequest(m.failure, s.requestOf(ctx, run.Step, run.Instance))
	}
	switch err = s.act(ctx, m, t, desired, f, &run); {
	case err != nil && !m.ends && refusesStep(m, err):
		run.Why = withRequest(about(run.Step)+": "+err.Error(), requestIn(err))
		d.enter(&run, stepFailed)
	case err != nil:
		return unit.State{}, err
	case m.act == actFinish:
		run = d.finished(run)
	case m.to != "":
		d.enter(&run, m.to)
	}
	next, err := d.testState(ctx, t, &run)
	if err != nil { // what was done goes on record all the same
		next = unit.State{
			Existence: unit.Present, Health: unit.HealthProgressing, Owned: true, Mark: t.Mark, Project: run.Project, Message: about(run.Step),
			After: testPause, Run: &run, Observed: seenTest{move: move{message: about(run.Step)}},
		}
	}
	return next, nil
}

// finished is the record of a run of which nothing is left.
func (d *Driver) finished(run unit.Run) unit.Run {
	over := unit.Run{Passed: run.Passed, For: run.For}
	switch run.Step {
	case stepPassed:
		over.Passed = run.For
	case stepFailed:
		over.Failed, over.Why = run.Failed+1, run.Why
		pause := runPause
		for range run.Failed {
			pause *= 5
		}
		over.Again = d.now().Add(pause).Unix()
	default:
		over.For = ""
	}
	return over
}

// refusesStep tells whether a service has answered, and what it said is no matter of who asks. What a gateway answers says
// nothing of what became of a request that makes something: that is looked for, and else asked for once more.
func refusesStep(m move, err error) bool {
	var answer *apiError
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.status {
	case http.StatusTooManyRequests:
		return false
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return m.act != actBoot && m.act != actVolume
	}
	return true
}

func requestIn(err error) string {
	var answer *apiError
	if errors.As(err, &answer) {
		return answer.request
	}
	return ""
}

func withRequest(text, request string) string {
	if request == "" {
		return text
	}
	return fmt.Sprintf("%s (request id %s)", text, request)
}

// deleteTest takes away what a run has left, once nobody wants the test any more. Without a run under way nothing is
// left, and nothing is asked.
func (d *Driver) deleteTest(ctx context.Context, t unit.Target) (unit.State, error) {
	t.Spec = nil
	if !t.Run.Open() {
		return unit.State{Existence: unit.Absent}, nil
	}
	run := *t.Run
	s, err := d.testSession(ctx, t, run.Project)
	if err != nil {
		return unit.State{}, err
	}
	f, err := s.lookForTest(ctx, t, &run)
	if err != nil {
		return unit.State{}, err
	}
	m := cleanUp(f, false)
	if m.act == actFinish {
		return unit.State{Existence: unit.Absent}, nil
	}
	if err := s.act(ctx, m, t, cty.NilVal, f, &run); err != nil {
		return unit.State{}, err
	}
	return unit.State{
		Existence: unit.Present, Health: unit.HealthProgressing, Owned: true, Mark: t.Mark, Message: m.message,
		After: testPause, Run: t.Run, Observed: seenTest{things: f, move: m},
	}, nil
}
