package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Computes takes the compute services of nodes out of use, and back into use what it has taken out itself: which that is
// is kept by Nova, so that any process knows. nodes are all that a host of Nova may be, by their names.
type Computes interface {
	// Close disables the services on the nodes that leave something, which it is told, and tells whether there was anything
	// to disable. It can be repeated.
	Close(ctx context.Context, nodes []string, leaving map[string]string) (closed bool, err error)

	// Open enables those that Close has disabled on the nodes that stay, once they are up and have reported after that time.
	// It returns the nodes on which some of these are left. It can be repeated.
	Open(ctx context.Context, nodes []string, staying map[string]time.Time) (left []string, err error)
}

const (
	// onTheWay is how long after a service was disabled the instances are counted at first: whoever chose the host before
	// that brings an instance there.
	onTheWay = 5 * time.Second
	// openPause is the time between two looks at whether a service that was disabled is up again.
	openPause = 10 * time.Second
	// openPatience is how long a single pass waits for it at most; and others look less often from then on.
	openPatience = 3 * time.Minute
)

// counted is a plan, and what of the compute services it depends on.
type counted struct {
	plan    *plan.Plan
	leaving map[string]string // nodes, and what they leave; see [plan.Plan.Leaving]
	closed  map[string]bool   // those whose services were disabled before the instances were counted
	tried   bool              // some were disabled
	failed  bool              // none could be, though nothing else was in the way
}

// closing is what a process knows of the compute services that are disabled, as their nodes leave something.
type closing struct {
	due     map[string]bool      // nodes that nothing else keeps from it: the next plan has their services disabled first
	leaving map[string]string    // by the admitted plan
	closed  map[string]bool      // those of them that may go by the instances that were counted
	moved   map[string]time.Time // when the labels of such a node changed
	look    bool                 // some may have to be enabled
	since   time.Time            // for so long
	asked   time.Time            // since when Nova is asked for that; zero: it was not yet
	wake    time.Time
	recount time.Time // when to count once more, as that has failed; zero: not
	recalls int       // how often in a row
	left    []string  // nodes with services that are disabled still, whether these are to be enabled or not
	failed  error     // why nobody could tell
	forgot  time.Time // when this process forgot a node last
	running bool
	soon    bool // what is running is soon done
	cancel  context.CancelFunc
	dropped bool // it was cancelled
}

// begin has services enabled again where that is due.
func (c *closing) begin(now time.Time) {
	c.look, c.since, c.asked, c.wake = true, now, time.Time{}, time.Time{}
}

// take takes what a plan that was admitted depends on.
func (c *closing) take(m counted) {
	c.leaving, c.closed = m.leaving, m.closed
	maps.DeleteFunc(c.due, func(node string, _ bool) bool { return m.leaving[node] == "" })
	if c.recount = (time.Time{}); !m.failed {
		c.recalls = 0
	} else if c.recalls < maxAttempts { // Nova may be about to start anew
		c.recalls++
		c.recount = time.Now().Add(grow(openPause, openPatience, c.recalls-1))
	}
	if m.tried || len(c.left) > 0 { // what leaves may be others now
		c.begin(time.Now())
	}
}

// count asks for where instances run, after it has disabled the compute services of the nodes that are due.
func (e *Engine) count(ctx context.Context, in *plan.Input, m *counted, due map[string]bool) {
	now := map[string]string{}
	for node, leaves := range m.leaving {
		if due[node] {
			now[node] = leaves
		}
	}
	in.Hosts = plan.Hosts{}
	if len(now) > 0 {
		m.tried = true
		closed, err := e.closeComputes(ctx, in, now)
		if err != nil {
			m.failed = true
			in.Hosts.Err = fmt.Errorf("the compute service there could not be disabled: %w", err)
			return
		}
		if m.closed = map[string]bool{}; closed {
			pause(ctx, onTheWay)
		}
		for node := range now {
			m.closed[node] = true
		}
	}
	limit := min(lookPatience, e.CallTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	in.Hosts = e.Hosts(ctx)
	if in.Hosts.Err != nil && ctx.Err() != nil {
		in.Hosts.Err = fmt.Errorf("nova did not answer within %s", limit)
	}
	in.Hosts.Leaving = map[string]error{}
	for node := range m.leaving {
		in.Hosts.Leaving[node] = nil
	}
}

// closeOccupied disables the compute services of the nodes that a plan has wait for their instances, or Nova would go on
// to fill them. It tells whether that failed, which the plan is to say then.
func (e *Engine) closeOccupied(ctx context.Context, in *plan.Input, m *counted) (failed bool) {
	now := map[string]string{}
	for _, node := range m.plan.Occupied() {
		if leaves := m.leaving[node]; leaves != "" && !m.closed[node] {
			now[node] = leaves
		}
	}
	if len(now) == 0 {
		return false
	}
	m.tried = true
	_, err := e.closeComputes(ctx, in, now)
	for node := range now {
		in.Hosts.Leaving[node] = err
	}
	return err != nil
}

func (e *Engine) closeComputes(ctx context.Context, in *plan.Input, leaving map[string]string) (bool, error) {
	limit := min(planPatience, e.CallTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	closed, err := e.Computes.Close(ctx, in.KnownNodes(), leaving)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("nova did not answer within %s", limit)
	}
	if closed {
		e.Log.Info().Strs("nodes", slices.Sorted(maps.Keys(leaving))).Msg("compute services were disabled, as their nodes leave")
	}
	return closed, err
}

// pause lets time pass, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// mustClose tells whether the instances on the node of a change have to be counted once more, with its compute
// service disabled, and has the next plan do so.
func (e *Engine) mustClose(l *loop, c plan.Change) bool {
	node := e.nodeOf(l, c)
	if node == "" || e.closing.leaving[node] == "" || e.closing.closed[node] {
		return false
	}
	e.closing.due[node] = true
	return true
}

// nodeOf names the node that loses something by a change, "" for none.
func (e *Engine) nodeOf(l *loop, c plan.Change) string {
	if entry, ok := e.entry(l.address); ok && entry.Locator.Kind == unit.KindNode && c.Action.Destroys() {
		return entry.Locator.Name
	}
	if l.unit == nil || l.unit.Spec.Locator().Kind != unit.KindNode {
		return ""
	}
	return l.unit.Spec.Locator().Name
}

// hasMoved notes that the labels of a node are other ones now: its compute service has to report from there before it
// is enabled.
func (e *Engine) hasMoved(l *loop, c plan.Change) {
	node := e.nodeOf(l, c)
	if node == "" || e.closing.leaving[node] == "" {
		return
	}
	delete(e.closing.leaving, node)
	delete(e.closing.due, node)
	e.closing.moved[node] = time.Now()
	e.closing.begin(time.Now())
}

// countAnew asks for a plan that counts once more. It returns when, and whether that is soon.
func (e *Engine) countAnew(now time.Time) (next time.Duration, soon bool) {
	c := &e.closing
	if c.recount.IsZero() || e.admitted.stale || e.admitted.planning {
		return forever, false
	}
	if wait := c.recount.Sub(now); wait > 0 {
		return wait, true
	}
	c.recount, e.admitted.stale = time.Time{}, true
	return 0, true
}

// reopen begins to enable what was disabled on nodes that leave nothing any more. It returns when to be called again, and
// whether that is soon done.
func (e *Engine) reopen(calls context.Context, now time.Time) (next time.Duration, soon bool) {
	c := &e.closing
	switch {
	case c.running:
		return forever, c.soon
	case !c.look || e.Computes == nil || e.revision == nil:
		return forever, false
	case e.admitted.stale || e.admitted.planning || e.admitted.revision != e.revision || len(e.admitted.refused()) > 0:
		return forever, false // what leaves is not known
	}
	address := novaAddress()
	nova := e.loops[address]
	forgotten := nova == nil || nova.unit == nil
	if forgotten && (c.forgot.IsZero() || !e.revision.Removals.Forgets(address)) {
		return forever, false
	}
	works := forgotten || nova.phase == PhaseReady || nova.serves()       // what is forgotten works on
	soon = works && (c.asked.IsZero() || now.Sub(c.asked) < openPatience) // what comes before may take longer than that
	if wait := c.wake.Sub(now); wait > 0 {
		return wait, soon
	}
	if e.Budget != nil {
		if wait := e.Budget(unit.OpenStack); wait > 0 {
			c.asked = time.Time{} // it is waited for as all else is that has to be asked
			return wait, works
		}
	}
	// It may never be ready for another reason, and what is up can be used.
	if left := c.since.Add(agentsPatience).Sub(now); left > 0 && !works {
		return left, false
	}
	if c.asked.IsZero() {
		c.asked = now
	}
	nodes, staying, strays := e.inputNodes(), e.staying(), e.suspended(address) == nil
	ctx, cancel := context.WithTimeout(calls, min(planPatience, e.CallTimeout))
	c.running, c.soon, c.cancel, c.dropped = true, soon, cancel, false
	e.running[unit.OpenStack]++
	contain.Go(func() {
		defer cancel()
		left, err := e.openComputes(ctx, nodes, staying, strays)
		e.events <- func() {
			e.running[unit.OpenStack]--
			if c.running = false; !c.dropped {
				e.opened(left, err)
			}
		}
	})
	return forever, soon
}

// notOpening tells whether nothing is being enabled, and sees to that: a plan is about to say what leaves, and what is
// enabled by an older one could be disabled by it already.
func (c *closing) notOpening() bool {
	if c.running && !c.dropped {
		c.dropped = true
		c.cancel()
	}
	return !c.running
}

func (e *Engine) openComputes(ctx context.Context, nodes []string, staying map[string]time.Time, withStrays bool) (left []string, err error) {
	defer Contain(e.Log, "enable compute services", &err, func() {})
	if withStrays {
		strays, err := e.strays(ctx, nodes)
		if err != nil {
			return nil, err
		}
		for _, node := range strays {
			staying[node] = time.Time{}
		}
		nodes = slices.Concat(nodes, strays)
	}
	return e.Computes.Open(ctx, nodes, staying)
}

func novaAddress() addr.Object { return addr.MustParseObject("service.nova") }

// untoldComputes says why nobody knows whether something of Nova is disabled that is to be enabled, "" where that is known. A pass
// waits for that.
func (e *Engine) untoldComputes() string {
	if e.closing.failed == nil {
		return ""
	}
	return "whether compute services are disabled that are to be enabled is not known: " + e.closing.failed.Error()
}

// strays are the nodes of the role compute that neither the configuration nor the record has. One may have been
// forgotten while it was to leave: what was disabled for that has no reason any more, and nobody else would enable it. A
// node whose block has gone has lost the label before it went from the record.
func (e *Engine) strays(ctx context.Context, known []string) ([]string, error) {
	if e.Bearing == nil {
		return nil, nil
	}
	bearing, err := e.Bearing(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for nodes that were forgotten: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(bearing), func(node string) bool { return slices.Contains(known, node) }), nil
}

// opened takes what is left to be enabled. Nodes that have the role no more, or are no part of the configuration, keep
// what is disabled there, but for those that were forgotten.
func (e *Engine) opened(left []string, err error) {
	c, now, known := &e.closing, time.Now(), e.inputNodes()
	if err != nil && c.failed == nil {
		e.Log.Warn().Err(err).Msg("what was disabled of Nova on nodes could not be enabled; it is tried again")
	}
	e.changed = e.changed || fmt.Sprint(err) != fmt.Sprint(c.failed)
	if c.failed = err; err == nil {
		c.left = left
	}
	c.look = err != nil || slices.ContainsFunc(left, func(node string) bool {
		l := e.loops[e.nodes[node]]
		if !slices.Contains(known, node) { // it may be down for good: else the next plan asks again, see [closing.take]
			return now.Sub(c.forgot) < openPatience
		}
		return l != nil && l.unit != nil && c.leaving[node] == "" && e.suspended(l.address) == nil && (l.phase != PhaseReady || slices.Contains(l.state.Labels, unit.ComputeLabel))
	})
	delay := openPause
	if now.Sub(c.since) >= openPatience {
		delay *= 6
	}
	c.wake = now.Add(delay)
}

// staying are the nodes of the role compute that leave nothing, and when their labels changed.
func (e *Engine) staying() map[string]time.Time {
	staying := map[string]time.Time{}
	for node, a := range e.nodes {
		l := e.loops[a]
		if l == nil || l.unit == nil || l.phase != PhaseReady || l.busy || l.stale || !slices.Contains(l.state.Labels, unit.ComputeLabel) ||
			e.closing.leaving[node] != "" || e.suspended(a) != nil {
			continue
		}
		since := e.closing.moved[node]
		if !since.IsZero() {
			since = since.Add(agentsPause)
		}
		staying[node] = since
	}
	return staying
}

// inputNodes are the names of all nodes that are known.
func (e *Engine) inputNodes() []string {
	in := plan.Input{Language: e.Language, Units: e.revision.Units, Entries: e.entries(e.revision)}
	return in.KnownNodes()
}
