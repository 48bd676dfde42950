package helm

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// behind is the API of a release whose objects all are ready.
type behind struct {
	d     *Driver
	says  atomic.Pointer[unit.Answer]
	takes time.Duration
	asked atomic.Int32
	woken atomic.Int32
	ready bool // the hooks are done
	view  *view
}

func works() unit.Answer { return unit.Answer{Reach: unit.ReachAnswers} }

func fails(request string) unit.Answer {
	return unit.Answer{Reach: unit.ReachRefuses, Message: "GET http://glance-api/v2/images: 503 Service Unavailable: token-of-glance", Request: request}
}

func newBehind(t *testing.T, says unit.Answer) *behind {
	b := &behind{ready: true}
	b.says.Store(&says)
	b.d = &Driver{cluster: newShelf(), options: Options{
		Ask: func(ctx context.Context, api unit.API) unit.Answer {
			b.asked.Add(1)
			if deadline, bounded := ctx.Deadline(); !bounded || time.Until(deadline) > askTimeout || api.Service != "image" || api.Running == nil {
				t.Errorf("%+v is asked until %v", api, deadline)
			}
			select {
			case <-time.After(b.takes):
				return *b.says.Load()
			case <-ctx.Done():
				return unit.Answer{Reach: unit.ReachUnknown, Message: "no answer in time"}
			}
		},
		Notify: func(...addr.Object) { b.woken.Add(1) },
	}}
	b.d.answers = newAnswers(b.d.options)
	t.Cleanup(b.d.answers.close)
	spec := &unit.Release{Namespace: "o", Name: "glance", API: &unit.API{Service: "image"}}
	b.view = &view{
		masker: redact.NewMasker(), namespace: "o", name: "glance", want: &wanted{spec: spec},
		newest: &revision{stored: stored{version: 1, status: release.StatusDeployed}},
		target: unit.Target{Address: addr.MustParseObject("service.glance"), Spec: spec},
	}
	b.view.masker.Add(redact.NewSecret("token-of-glance"))
	return b
}

// look looks at the release once, and wants it to be ready or not, asked so many times since the look before, and
// its unit woken so many times.
func (b *behind) look(t *testing.T, what string, health unit.Health, asked, woken int32) unit.State {
	t.Helper()
	b.view.hooks.done = b.ready
	state := b.d.states(t.Context(), []*view{b.view})[0]
	synctest.Wait()
	if state.Health != health || !state.Installed || b.asked.Swap(0) != asked || b.woken.Swap(0) != woken {
		t.Errorf("%s: %s %q, API %+v", what, state.Health, state.Message, state.API)
	}
	return state
}

func TestAReleaseIsReadyOnceItsAPIAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBehind(t, fails("req-1"))
		b.ready = false
		if state := b.look(t, "a hook is not done", unit.HealthProgressing, 0, 0); state.API.Reach != unit.ReachUnasked {
			t.Errorf("%+v", state.API)
		}
		b.ready = true
		const want = "glance: GET http://glance-api/v2/images: 503 Service Unavailable: (sensitive) (request id req-1)"
		state := b.look(t, "it says no", unit.HealthProgressing, 1, 0)
		if state.Message != want || state.API.Reach != unit.ReachRefuses || state.API.String() != strings.TrimPrefix(want, "glance: ") || len(state.Details) != 1 {
			t.Errorf("%q %q %+v", state.Message, state.Details, state.API)
		}
		b.look(t, "just asked", unit.HealthProgressing, 0, 0)
		again := fails("req-2")
		b.says.Store(&again)
		time.Sleep(askPause)
		b.look(t, "it says the same", unit.HealthProgressing, 1, 0)
		if state := b.look(t, "it said the same", unit.HealthProgressing, 0, 0); state.Message != want {
			t.Errorf("the report changes with each question: %q", state.Message)
		}
		good := works()
		b.says.Store(&good)
		time.Sleep(askPause)
		b.look(t, "it is asked while it is looked at", unit.HealthProgressing, 1, 1)
		if state := b.look(t, "it answers", unit.HealthReady, 0, 0); state.Message != "" || state.API != works() {
			t.Errorf("%q %+v", state.Message, state.API)
		}
	})
}

func TestAnAPIThatAnswersIsLeftInPeace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBehind(t, works())
		b.look(t, "first", unit.HealthReady, 1, 0) // which waits for the answer: nobody is woken, and there is no second look
		for range 10 {
			time.Sleep(defaultAskAgain / 20)
			b.look(t, "soon after", unit.HealthReady, 0, 0)
		}
		time.Sleep(defaultAskAgain)
		b.look(t, "later", unit.HealthReady, 1, 0)
		b.view.newest.version++
		b.look(t, "another revision", unit.HealthReady, 1, 0)
		b.ready = false
		b.look(t, "not ready", unit.HealthProgressing, 0, 0)
		b.ready = true
		b.look(t, "ready again", unit.HealthReady, 1, 0)
		b.view.target.Spec = nil
		if state := b.d.states(t.Context(), []*view{b.view})[0]; state.API.Reach != unit.ReachNone || b.asked.Load() != 0 {
			t.Errorf("what is to go is asked: %+v", state)
		}
	})
}

// What answered before Kubernetes was to run a program of it on one more node has not answered for that one.
func TestANodeMoreIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBehind(t, works())
		node := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "n1"}}}
		b.d.cluster = newShelf(node)
		set := daemonSet("nova-compute-default", "OnDelete", "1", "")
		b.view.live = map[unit.ObjectRef]*unstructured.Unstructured{refOf(set): set}
		b.view.target.Spec.(*unit.Release).API.Programs = []unit.Program{{DaemonSet: "nova-compute", Hosts: []string{"n1"}}}
		b.look(t, "the node is not for it", unit.HealthReady, 1, 0)
		b.look(t, "still", unit.HealthReady, 0, 0)
		node.SetLabels(map[string]string{"compute": "enabled"})
		b.d.cluster = newShelf(node)
		bad := fails("req-1")
		b.says.Store(&bad)
		b.look(t, "it is to run there", unit.HealthProgressing, 1, 0)
		node.SetLabels(nil)
		b.d.cluster = newShelf(node)
		b.look(t, "no longer", unit.HealthProgressing, 0, 0)
	})
}

// One answer says little of a service that worked until then; a second one does.
func TestWhatWorkedIsAskedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBehind(t, works())
		b.look(t, "first", unit.HealthReady, 1, 0)
		bad, good := fails("req-1"), works()
		b.says.Store(&bad)
		time.Sleep(defaultAskAgain)
		b.look(t, "it fails", unit.HealthReady, 1, 0)
		b.says.Store(&good)
		time.Sleep(askPause)
		synctest.Wait()
		b.look(t, "that is over", unit.HealthReady, 1, 0)
		b.says.Store(&bad)
		time.Sleep(defaultAskAgain)
		b.look(t, "it fails again", unit.HealthReady, 1, 0)
		time.Sleep(askPause)
		synctest.Wait()
		b.look(t, "it still does", unit.HealthProgressing, 1, 1)
	})
}

// A look does not take as long as the service does, and what does not work at all ends as a failure.
func TestSlowAnswersHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBehind(t, works())
		b.takes = time.Hour
		began := time.Now()
		state := b.look(t, "slow", unit.HealthProgressing, 1, 0)
		if took := time.Since(began); took != askPatience || state.API.Reach != unit.ReachUnasked || state.Message != "its API is asked whether it works" {
			t.Errorf("it took %v: %q %+v", took, state.Message, state.API)
		}
		time.Sleep(askTimeout)
		synctest.Wait()
		if b.woken.Swap(0) != 1 {
			t.Error("the answer wakes nobody")
		}
		if state := b.look(t, "no answer, and the next question", unit.HealthProgressing, 1, 0); state.Message != "glance: no answer in time" || state.API.Reach != unit.ReachUnknown {
			t.Errorf("%q %+v", state.Message, state.API)
		}
		time.Sleep(askGivesUp)
		if state := b.look(t, "for long", unit.HealthFailed, 1, 0); state.Message != "glance: no answer in time" {
			t.Errorf("%q", state.Message)
		}
	})
}

func TestNobodyIsThereToAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBehind(t, unit.Answer{})
		b.look(t, "nobody says how to reach OpenStack", unit.HealthReady, 1, 0)
		b.d.options.Ask = nil
		if state := b.look(t, "without checks", unit.HealthReady, 0, 0); state.API.Reach != unit.ReachNone {
			t.Errorf("%+v", state.API)
		}
	})
}

// Who asks and panics leaves nobody waiting, and tells no value.
func TestPanicOfWhoAsks(t *testing.T) {
	const canary = "canary-of-who-asks"
	a := newAnswers(Options{Ask: func(context.Context, unit.API) unit.Answer { panic(canary) }})
	defer a.close()
	select {
	case <-a.begin(addr.MustParseObject("service.glance"), "o/glance", 1, unit.API{Service: "image"}, nil, nil):
	case <-time.After(time.Minute):
		t.Fatal("there is no answer")
	}
	if got, _ := a.last("o/glance"); got.Reach != unit.ReachUnknown || strings.Contains(got.Message, canary) || !strings.Contains(got.Message, "a mistake of this program") {
		t.Errorf("got %+v", got)
	}
}

// TestNodesThatAreNotKnownForAWhile: what answered goes on to count while nobody can tell on which nodes pods are to run, and after that,
// unless there are others then.
func TestNodesThatAreNotKnownForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers(Options{Ask: func(context.Context, unit.API) unit.Answer { return works() }})
		defer a.close()
		begin := func(expected [][]string) <-chan struct{} {
			return a.begin(addr.MustParseObject("service.nova"), "o/nova", 1, unit.API{Service: "compute"}, expected, nil)
		}
		<-begin([][]string{{"one"}})
		synctest.Wait()
		for _, expected := range [][][]string{nil, {{"one"}}, nil, nil, {{"one"}}} {
			if begin(expected) != nil {
				t.Errorf("it is asked again with %v", expected)
			}
			if answer, _ := a.last("o/nova"); answer.Reach != unit.ReachAnswers {
				t.Errorf("with %v it is %v", expected, answer)
			}
		}
		begin(nil)
		if begin([][]string{{"one", "two"}}) == nil {
			t.Error("it is not asked about another node")
		}
		synctest.Wait()
	})
}
