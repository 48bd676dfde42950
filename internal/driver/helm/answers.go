package helm

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// askTimeout bounds one question.
	askTimeout = 20 * time.Second
	// askPatience is how long a look at releases waits for first answers. Later ones wake the unit.
	askPatience = 3 * time.Second
	// askPause is before a question is put again that was answered with no.
	askPause = 2 * time.Second
	// defaultAskAgain is how long a good answer counts.
	defaultAskAgain = 5 * time.Minute
	// askGivesUp is how long an API may not do before that is a failure, as long as Kubernetes gives a Deployment.
	askGivesUp = 10 * time.Minute
)

// answers are what APIs behind releases said. The questions are put beside the looks at releases, so that one
// which is slow holds up nobody.
type answers struct {
	ask    func(context.Context, unit.API) unit.Answer // nil when nobody asks
	again  time.Duration
	notify func(...addr.Object)

	ctx     context.Context //nolint:containedctx // questions outlive the look that they were put by, but not the driver
	cancel  context.CancelFunc
	running contain.Background

	mu    sync.Mutex
	known map[string]*asked // by namespace and name of the release
}

// asked is about one revision of a release, and one thing to ask of it, from the moment that all of its objects were ready.
type asked struct {
	address  addr.Object
	revision int
	api      unit.API
	expected [][]string  // the nodes of each of its programs that pods are to run on
	answer   unit.Answer // the last; the zero one before the first
	at       time.Time   // when that came
	since    time.Time   // from when on it was no good one
	done     chan struct{}
	awaited  bool // a look waits for the answer
}

func newAnswers(options Options) *answers {
	a := &answers{ask: options.Ask, again: options.AskAgain, notify: options.Notify, known: map[string]*asked{}}
	if a.again <= 0 {
		a.again = defaultAskAgain
	}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

func (a *answers) close() {
	a.mu.Lock() // so that nothing begins afterwards
	a.cancel()
	a.mu.Unlock()
	a.running.Wait()
}

// forget has the API asked anew the next time.
func (a *answers) forget(release string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.known, release)
}

// running tells on which nodes pods of a program work, see [unit.API].
type running func(ctx context.Context, program unit.Program) ([]string, error)

// begin asks unless the last answer still counts, and returns what is closed when a first answer is there. An answer is no
// longer one once pods are to run on nodes that it was not about.
func (a *answers) begin(address addr.Object, release string, revision int, api unit.API, expected [][]string, on running) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.known[release]
	if expected == nil && k != nil { // they are not known now, and did not change for that
		expected = k.expected
	}
	if k == nil || k.revision != revision || !reflect.DeepEqual(k.api, api) || grew(k.expected, expected) {
		k = &asked{address: address, revision: revision, api: api, since: time.Now()}
		a.known[release] = k
	}
	k.expected = expected
	first := k.answer == unit.Answer{}
	switch {
	case k.done != nil: // it is asked
	case !first && time.Since(k.at) < a.pause(k.answer):
		return nil
	case a.ctx.Err() != nil:
		return nil
	default:
		k.done = make(chan struct{})
		api.Running = on // which says nothing of what is asked
		a.running.Go(func() { a.put(release, k, api, k.answer) })
	}
	if !first {
		return nil
	}
	k.awaited = true
	return k.done
}

// grew tells whether a program is to run on nodes that it was not to run on before.
func grew(before, now [][]string) bool {
	for i, nodes := range now {
		var last []string
		if i < len(before) {
			last = before[i]
		}
		if !slices.Equal(last, nodes) && slices.ContainsFunc(nodes, func(node string) bool { return !slices.Contains(last, node) }) {
			return true
		}
	}
	return false
}

// pause is how long an answer counts.
func (a *answers) pause(answer unit.Answer) time.Duration {
	if answer.Reach == unit.ReachAnswers {
		return a.again
	}
	return askPause
}

// put asks. A service that worked until then is asked twice before it counts as one that does not.
func (a *answers) put(release string, k *asked, api unit.API, last unit.Answer) {
	answer := a.once(api)
	if last.Reach == unit.ReachAnswers && answer.Reach != unit.ReachAnswers {
		again := time.NewTimer(askPause)
		defer again.Stop()
		select {
		case <-again.C:
			answer = a.once(api)
		case <-a.ctx.Done():
		}
	}
	if news := a.learn(release, k, answer); news && a.notify != nil && a.ctx.Err() == nil {
		a.notify(k.address)
	}
}

func (a *answers) once(api unit.API) unit.Answer {
	ctx, cancel := context.WithTimeout(a.ctx, askTimeout)
	defer cancel()
	var answer unit.Answer
	err := contain.Do(func() error {
		answer = a.ask(ctx, api)
		return nil
	})
	if err != nil { // who asks panicked
		return unit.Answer{Reach: unit.ReachUnknown, Message: err.Error()}
	}
	if answer.Reach == unit.ReachNone { // nobody is there to ask
		answer.Reach = unit.ReachAnswers
	}
	return answer
}

// learn keeps an answer, and tells whether the unit has to be woken for it.
func (a *answers) learn(release string, k *asked, answer unit.Answer) (news bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(k.done)
	k.done = nil
	now := time.Now()
	if answer.Reach != unit.ReachAnswers && k.answer.Reach == unit.ReachAnswers {
		k.since = now
	}
	k.at = now
	news = !k.answer.Same(answer) && !k.awaited && a.known[release] == k
	if !k.answer.Same(answer) { // else the id of the first request stays, and the report with it
		k.answer = answer
	}
	k.awaited = false
	return news
}

// wait waits a little for first answers.
func (a *answers) wait(ctx context.Context, pending []<-chan struct{}) {
	if len(pending) == 0 {
		return
	}
	limit := time.NewTimer(askPatience)
	defer limit.Stop()
	for _, done := range pending {
		select {
		case <-done:
		case <-limit.C:
			limit.Reset(0) // for the others
		case <-ctx.Done():
			return
		}
	}
}

// last returns the answer that counts, and whether it has been no good one for too long. What is asked still wakes
// the unit when it is answered.
func (a *answers) last(release string) (answer unit.Answer, tooLong bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.known[release]
	if k == nil {
		return unit.Answer{Reach: unit.ReachUnasked}, false
	}
	k.awaited = false
	answer = k.answer
	if answer.Reach == unit.ReachNone {
		answer = unit.Answer{Reach: unit.ReachUnasked, Message: "it is being asked"}
	}
	return answer, answer.Reach != unit.ReachAnswers && time.Since(k.since) >= askGivesUp
}
