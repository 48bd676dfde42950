package faultproxy

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Control holds the rules and the record of one or more proxies, so that requests can be
// counted and numbered over all the servers that a program talks to. It is safe for
// concurrent use.
type Control struct {
	seed uint64

	mu          sync.Mutex
	faults      []*Fault
	added       int // rules added so far, removed ones included
	requests    []*Request
	occurrences map[Operation]int
	aliases     []string          // pairs, as strings.NewReplacer has them
	names       map[string]string // of objects of OpenStack, by their ids
	proxies     []*Proxy
	watches     map[*watchBody]struct{}
	thawed      chan struct{} // not nil while a kill is under way: new requests wait for its closing
}

// NewControl returns a Control without rules whose chance comes from seed (see Seed).
func NewControl(seed uint64) *Control {
	return &Control{seed: seed, occurrences: map[Operation]int{}, names: map[string]string{}, watches: map[*watchBody]struct{}{}}
}

// Seed returns the seed.
func (c *Control) Seed() uint64 { return c.seed }

// Add puts a rule into force for all requests that arrive from now on. When several rules
// take one request they act in the order in which they were added: delays add up, and the
// first that ends the request hides the later ones, which count as fired all the same. Add
// panics on a rule that can never mean anything, such as a probability above 1.
func (c *Control) Add(rule Rule) *Fault {
	if rule.Probability < 0 || rule.Probability > 1 || rule.Nth < 0 || rule.Sequence < 0 || rule.Limit < 0 ||
		rule.First < 0 || rule.Latest < 0 || rule.Latest > 0 && rule.Probability == 0 {
		panic(fmt.Sprintf("faultproxy: impossible rule %+v", rule))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.added++
	fault := &Fault{rule: rule, key: rule.Name, path: compileGlob(rule.Match.Path), control: c, met: map[subject]int{}}
	if rule.Name == "" {
		fault.key = "rule " + strconv.Itoa(c.added)
		fault.rule.Name = rule.Action.name
	}
	c.faults = append(c.faults, fault)
	return fault
}

func (c *Control) remove(fault *Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = slices.DeleteFunc(c.faults, func(f *Fault) bool { return f == fault })
}

// Requests returns a copy of the record, in order of arrival.
func (c *Control) Requests() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	requests := make([]Request, len(c.requests))
	for i, request := range c.requests {
		requests[i] = *request
		requests[i].Faults = slices.Clone(request.Faults)
	}
	return requests
}

// Counts returns how often each operation was asked for so far.
func (c *Control) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := make(Counts, len(c.occurrences))
	for operation, count := range c.occurrences {
		counts[operation] = count
	}
	return counts
}

// Settle returns once no kill is under way: the killed process's connections are closed
// then, and nothing that it had sent is forwarded any more. Whoever starts the process again
// calls it first. It fails when ctx ends before.
func (c *Control) Settle(ctx context.Context) error {
	c.mu.Lock()
	thawed := c.thawed
	c.mu.Unlock()
	if thawed == nil {
		return nil
	}
	select {
	case <-thawed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a kill does not settle: %w", ctx.Err())
	}
}

// join makes p one of the proxies that a kill severs from their clients.
func (c *Control) join(p *Proxy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proxies = append(c.proxies, p)
}

// begin records a request and decides its fate. It waits while a kill is under way, so that
// nothing slips past the chosen point, and returns nil for a request whose client is gone.
func (c *Control) begin(p *Proxy, r *http.Request) *exchange {
	conn := connOf(r)
	for {
		c.mu.Lock()
		if c.thawed == nil {
			break
		}
		thawed := c.thawed
		c.mu.Unlock()
		select {
		case <-thawed:
		case <-r.Context().Done():
			return nil
		}
	}
	defer c.mu.Unlock()
	if conn.severed.Load() {
		return nil
	}
	x := &exchange{proxy: p, conn: conn, request: r}
	if p.options.Ignore != nil && p.options.Ignore(r) {
		x.ignored, x.record = true, &Request{} // written to but never read
		return x
	}
	verb, path := p.options.Classify(r)
	operation := Operation{Proxy: p.options.Name, Verb: verb, Path: path}
	c.occurrences[operation]++
	x.record = &Request{
		Sequence: len(c.requests) + 1, Time: time.Now(), Proxy: p.options.Name, Verb: verb, Path: path,
		Method: r.Method, URLPath: r.URL.Path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(),
	}
	c.requests = append(c.requests, x.record)
	about := c.about(p, r, verb)
	for _, fault := range c.faults {
		step, taken := fault.take(x, about)
		if !taken {
			continue
		}
		x.steps = append(x.steps, step)
		x.record.Faults = append(x.record.Faults, step.name)
		x.freezes = x.freezes || step.action.freezes
	}
	if x.freezes {
		c.thawed = make(chan struct{})
	}
	return x
}

// finish undoes what begin did for the time of the exchange.
func (c *Control) finish(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.freezes {
		close(c.thawed)
		c.thawed = nil
	}
}

// update changes the record of an exchange.
func (c *Control) update(x *exchange, change func(*Request)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(x.record)
}

// sever resets every connection of every client: the killed process's, and whoever else's.
func (c *Control) sever() {
	c.mu.Lock()
	proxies := slices.Clone(c.proxies)
	c.mu.Unlock()
	for _, p := range proxies {
		p.ResetConnections()
	}
}
