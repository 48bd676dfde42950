package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// settleTime is how long a creating request of unknown outcome may still be carried out, as far as we wait for that. It is
// longer than services take that are not stuck; what comes even later is told, see [twins].
const settleTime = 30 * time.Second

// errUnsettled says why something absent is not created yet. It is one and the same text all the time.
var errUnsettled = errors.New("nobody knows what became of the last request to create it, and OpenStack may still be at work on that: it is looked for once more before another one is sent")

// errLate says why what nobody wants any more is not forgotten yet. It is one and the same text all the time, too.
var errLate = errors.New("nobody knows what became of the last request to create it, and OpenStack may still be at work on that: it is looked for once more before it is forgotten")

// sought looks once more for what is absent, and tells for how long a request that creates it may still be under way.
func (d *Driver) sought(ctx context.Context, s *session, k kind, t unit.Target, desired cty.Value) (unit.State, time.Duration, error) {
	objects, err := d.listFor(ctx, s, k, t, desired)
	if err != nil {
		return unit.State{}, 0, err
	}
	m, _ := find(k, s, d.tried(k, t), desired, indexed(objects))
	if m.object != nil || len(m.candidates) > 0 {
		st, err := d.stateOf(ctx, s, k, t, m)
		return st, 0, err
	}
	unseen := d.doubt(ctx, s, k, []unit.Target{t}, map[addr.Object]match{t.Address: m})
	if err := unseen[t.Address]; err != nil {
		return unit.State{}, 0, err
	}
	return unit.State{Existence: unit.Absent}, d.outcomes.left(t), nil
}

// late is the state of what nobody wants any more and nobody saw. It fails for as long as that may still be created.
func (d *Driver) late(ctx context.Context, k kind, t unit.Target) (unit.State, error) {
	s, err := d.sessionFor(ctx, k, t, desiredOf(t))
	if err != nil {
		return unit.State{}, err
	}
	if _, err := d.stillOurs(ctx, s, k, t, unit.State{}); err != nil {
		return unit.State{}, err
	}
	st, left, err := d.sought(ctx, s, k, t, desiredOf(t))
	if err == nil && left > 0 {
		err = &unit.RetryError{After: left, Err: errLate}
	}
	if m, ok := st.Observed.(match); ok && err == nil {
		st.Outputs = departed(k, m.object)
	}
	return st, err
}

// astray fails where an attempt to create what nobody wants any more may have made something without a mark. Nothing but its name tells that
// it is ours, so that it is not deleted; it is named to people, as nobody else would ever tell of it.
func (d *Driver) astray(ctx context.Context, k kind, t unit.Target) error {
	if t.Before == nil || resource(t) != nil || d.outcomes.nothing(t.UID) {
		return nil
	}
	s, err := d.sessionFor(ctx, k, t, cty.NilVal)
	if err != nil {
		return err
	}
	objects, err := d.listFor(ctx, s, k, t, cty.NilVal)
	if err != nil {
		return err
	}
	scope, name, _ := strings.Cut(t.Before.Of, "/")
	come := filter(indexed(objects).titled(name), func(o *object) bool {
		return o.mark == "" && (scope == "" || o.scope == scope) && !slices.Contains(t.Before.IDs, o.id) && !recordedElsewhere(t, o.id)
	})
	if len(come) > 0 {
		return unit.Blocked(fmt.Sprintf("an attempt to create this %s as %q failed or was cut off, and may have made what has come since: %s; delete that, or have it forgotten by a removed block with destroy = false",
			k.name(), name, several(describe(come))))
	}
	if left := d.outcomes.left(t); left > 0 {
		return &unit.RetryError{After: left, Err: errLate}
	}
	return s.vouch(ctx, k, t, cty.NilVal)
}

// outcomes remember of which objects a creating request may still be under way, by their uids. They need not outlive the
// process: that there was an attempt is on record, and whatever a process before has sent was sent before this one took over.
type outcomes struct {
	settle time.Duration
	began  time.Time

	mutex sync.Mutex
	open  map[string]outcome
}

// outcome is what is known of the last attempt to create something.
type outcome struct {
	since time.Time // a request may be under way; zero where none can be
	maybe bool      // something may have come of it, though nobody has told which
}

func newOutcomes(settle time.Duration) *outcomes {
	return &outcomes{settle: settle, began: time.Now(), open: map[string]outcome{}}
}

// none notes that nothing can be under way, where nothing else is known.
func (a *outcomes) none(uid string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if _, known := a.open[uid]; !known {
		a.open[uid] = outcome{}
	}
}

// nothing tells whether it is certain that the last attempt came to nothing.
func (a *outcomes) nothing(uid string) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	last, known := a.open[uid]
	return known && last.since.IsZero() && !last.maybe
}

// left is how long the next request has to wait.
func (a *outcomes) left(t unit.Target) time.Duration {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	last, known := a.open[t.UID]
	since := last.since
	if !known && t.Attempted {
		since = a.began
	}
	if since.IsZero() {
		return 0
	}
	return max(0, a.settle-time.Since(since))
}

// attempt creates an object and notes what is known of the outcome.
func (a *outcomes) attempt(ctx context.Context, t unit.Target, create func(context.Context) (*object, error)) (*object, error) {
	a.note(t.UID, true, true) // should nothing be heard of it any more
	var told leftOpen
	o, err := create(context.WithValue(ctx, outcomeKey{}, &told))
	if err == nil {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		delete(a.open, t.UID)
		return o, nil
	}
	a.note(t.UID, told.unknown.Load(), told.maybe.Load())
	return nil, err
}

func (a *outcomes) note(uid string, unknown, maybe bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	last := outcome{maybe: maybe}
	if unknown {
		last.since = time.Now()
	}
	a.open[uid] = last
}

// outcomeKey is that of a *leftOpen in a context.
type outcomeKey struct{}

// leftOpen is what the answers to the requests of an attempt do not tell.
type leftOpen struct {
	unknown atomic.Bool // one went without an answer that tells whether it was, or will be, carried out
	maybe   atomic.Bool // one was sent, and no answer says that it was turned down: it may have been carried out
}

// createsKey is that of a value in the context of a request that creates something though it is no POST.
type createsKey struct{}

// noteOutcome looks at how a request ended that may create something.
func noteOutcome(request *http.Request, response *http.Response, err error) {
	told, ok := request.Context().Value(outcomeKey{}).(*leftOpen)
	if !ok || !mutates(request) || err != nil && (refused(err) || guard.NotSent(err)) || err == nil && turnedDown(response.StatusCode) {
		return
	}
	told.maybe.Store(true)
	if creates := request.Method == http.MethodPost || request.Context().Value(createsKey{}) != nil; creates && (err != nil || abandoned(response)) {
		told.unknown.Store(true)
	}
}

// turnedDown tells whether nothing can have come of a request with such an answer. That something is there already may be said of
// what the same request has made, where a gateway has sent it twice; and a service can fail after it has made something.
func turnedDown(status int) bool {
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError && status != http.StatusRequestTimeout && status != http.StatusConflict
}

// abandoned tells whether an answer says that whoever gave it stopped waiting, or may have: some gateways answer 503 as well
// when a connection ends that they had sent a request over. Any other one comes from who is done with the request, or never
// began, as a service that gives its id with a 503: what there is then can be seen.
func abandoned(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	case http.StatusServiceUnavailable:
		return requestID(response.Header) == ""
	default:
		return false
	}
}
