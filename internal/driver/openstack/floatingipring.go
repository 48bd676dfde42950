package openstack

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// ringPatience is for how long it counts that a floating IP is to lead where another one does: longer than it takes until
// everything is looked at, and what was refused tried again.
const ringPatience = 10 * time.Minute

// takers are floating IPs that were refused an address of a port, as another one leads there. Only they are known to
// leave the address that they have themselves, so that a ring of them can be broken: Neutron has no request that makes
// two change places.
type takers struct {
	mu    sync.Mutex
	after map[string]taker // by their ids
}

// taker is one that waits for another one to leave.
type taker struct {
	holder string
	at     time.Time
}

// wait notes that one waits for another one, and tells whether that waits for the first, directly or through others. Who
// is told so makes way, and waits no longer.
func (t *takers) wait(id, holder string, now time.Time) (ring bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.after == nil {
		t.after = map[string]taker{}
	}
	t.after[id] = taker{holder, now}
	next := holder
	for range t.after { // others may wait in a ring of their own
		if next == id {
			delete(t.after, id)
			return true
		}
		one, waits := t.after[next]
		if !waits || now.Sub(one.at) > ringPatience {
			return false
		}
		next = one.holder
	}
	return false
}

// ends notes that one waits for nothing any more.
func (t *takers) ends(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.after, id)
}

// awaits holds nothing back. One that leads where it is to is waiting for nobody any more, and leaves its place to none.
func (k floatingIPKind) awaits(o *object, fields []unit.Field) (why string, held []string) { //nolint:unparam // other kinds hold back
	inside := []string{portAttribute, instanceAttribute, fixedAttribute}
	if !slices.ContainsFunc(fields, func(f unit.Field) bool { return slices.Contains(inside, f.Path) }) {
		k.takers.ends(o.id)
	}
	return "", nil
}

// makeWay is for a floating IP that was refused an address of a port. Where the one that leads there waits in turn for
// this one to leave, this one is disconnected, and follows once the other has left.
func (k floatingIPKind) makeWay(ctx context.Context, s *session, o *object, port, address string, refusal error) error {
	query := url.Values{keyPort: {port}, keyFixedIP: {address}}
	raws, err := s.all(ctx, call{service: serviceNetwork, path: k.path(), query: query}, k.many)
	if err != nil {
		return refusal
	}
	network := textOf(o.values.get("floating_network"))
	i := slices.IndexFunc(raws, func(raw map[string]any) bool {
		return textAt(raw, "id") != o.id && textAt(raw, "floating_network_id") == network && textAt(raw, keyPort) == port && textAt(raw, keyFixedIP) == address
	})
	if i < 0 { // it has left by now, or is none that our user may see
		return k.put(ctx, s, o.id, map[string]any{keyPort: port, keyFixedIP: address})
	}
	leads, holder := textOf(o.values.get(portAttribute)) != "", textAt(raws[i], "id")
	if leads && k.takers.wait(o.id, holder, time.Now()) {
		return k.put(ctx, s, o.id, map[string]any{keyPort: nil})
	}
	return &unit.BlockedError{Holder: holder, Reason: fmt.Sprintf(
		"the floating IP %s leads to %s of the port %s already, which takes no other one of its network: have that one lead elsewhere, or delete it",
		textAt(raws[i], "floating_ip_address"), address, port)}
}
