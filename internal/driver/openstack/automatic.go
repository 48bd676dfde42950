package openstack

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// mostSubnets is how many subnets are known at most of whether their addresses are automatic.
const mostSubnets = 100_000

// autoSubnets knows of subnets of IPv6 whether their addresses follow from the hardware addresses of ports: Neutron gives
// every port of the network one of each besides those that are asked for, and takes none away. That never changes of a
// subnet, so that nobody is asked of it twice.
type autoSubnets struct {
	mutex  sync.Mutex
	known  map[string]bool
	hidden map[hiddenSubnet]time.Time // until when nobody is asked
}

// hiddenSubnet is one that somebody does not see, as a member of a project none of an external network.
type hiddenSubnet struct {
	login  login
	admin  bool
	subnet string
}

// subnetHidden is for how long a subnet counts as hidden from who did not see it: they may be shown it later.
const subnetHidden = 10 * time.Minute

// leaveOut takes those addresses of objects out of their nested blocks of one kind that Neutron has added by itself and
// nobody has written: they are no difference. Of an object of which all is wanted to be known the rest says what it is made
// with, and where nothing is left, the subnets do. It returns why that is not known, by whose object it concerns.
func (a *autoSubnets) leaveOut(ctx context.Context, s *session, objects []found, nested *schema.Nested) map[addr.Object]error {
	asked, open := map[string]bool{}, []found{}
	for _, f := range objects {
		subnets := unexplained(f, nested.Kind)
		for _, subnet := range subnets {
			asked[subnet] = true
		}
		if len(subnets) > 0 {
			open = append(open, f)
		}
	}
	if len(open) == 0 {
		return nil
	}
	automatic, err := a.among(ctx, s, slices.Sorted(maps.Keys(asked)))
	unread := map[addr.Object]error{}
	for _, f := range open {
		switch {
		case err == nil:
			f.object.values.set(nested.Kind, withoutAutomatic(f, nested, automatic))
		case !f.whole: // what is not known would be taken for a difference
			unread[f.address] = fmt.Errorf("which subnets give addresses by themselves: %w", err)
			f.object.values.drop(nested.Kind)
			f.object.unseen, f.object.obscured = append(f.object.unseen, "neutron"), brief(err.Error(), longestReason)
		}
	}
	return unread
}

// among returns those of some subnets whose addresses are automatic, from one list of those that are not known yet.
func (a *autoSubnets) among(ctx context.Context, s *session, subnets []string) (map[string]bool, error) {
	a.mutex.Lock()
	automatic, open, now := map[string]bool{}, []string(nil), time.Now()
	by := func(subnet string) hiddenSubnet { return hiddenSubnet{s.login, s.administrates(), subnet} }
	for _, id := range subnets {
		is, known := a.known[id]
		if !known && !now.Before(a.hidden[by(id)]) {
			open = append(open, id)
		}
		automatic[id] = is
	}
	a.mutex.Unlock()
	if len(open) == 0 {
		return automatic, nil
	}
	query := url.Values{"fields": {"id", addressModeAttribute, routerModeAttribute}, "ip_version": {"6"}}
	if len(open) <= fewDevices {
		query["id"] = open
	}
	list, err := s.all(ctx, call{service: serviceNetwork, path: "subnets", query: query}, "subnets")
	if err != nil {
		return nil, err
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.known == nil || len(a.known) > mostSubnets {
		a.known = map[string]bool{}
	}
	if a.hidden == nil || len(a.hidden) > mostSubnets {
		a.hidden = map[hiddenSubnet]time.Time{}
	}
	for _, id := range open {
		a.hidden[by(id)] = now.Add(subnetHidden)
	}
	for _, raw := range list {
		if id := textAt(raw, "id"); slices.Contains(open, id) {
			delete(a.hidden, by(id))
			is := automaticMode(raw, addressModeAttribute) || automaticMode(raw, routerModeAttribute)
			automatic[id], a.known[id] = is, is
		}
	}
	return automatic, nil
}

// automaticMode tells whether a mode of a subnet has the addresses follow from hardware addresses.
func automaticMode(raw map[string]any, key string) bool {
	return slices.Contains([]string{"slaac", "dhcpv6-stateless"}, textAt(raw, key))
}

// unexplained are the subnets of the addresses of IPv6 that an object has and nobody has written.
func unexplained(f found, name string) []string {
	want := valuesIn(unmarked(attribute(f.want, name)))
	if len(want) == 0 && !f.whole {
		return nil // nothing is compared
	}
	var subnets []string
	for _, v := range valuesIn(f.object.values.get(name)) {
		if addressOf(textOf(attribute(v, keyAddress))).Is6() && !writes(want, v) {
			subnets = append(subnets, textOf(attribute(v, "subnet")))
		}
	}
	return subnets
}

// writes tells whether blocks name the subnet of an address, or the address itself.
func writes(want []cty.Value, v cty.Value) bool {
	return slices.ContainsFunc(want, func(w cty.Value) bool {
		address := textOf(attribute(w, keyAddress))
		return textOf(attribute(w, "subnet")) == textOf(attribute(v, "subnet")) ||
			address != "" && canonicalText(address) == canonicalText(textOf(attribute(v, keyAddress)))
	})
}

// withoutAutomatic are the blocks of an object but those of addresses that Neutron has added by itself. While it is not
// known which subnet a block means, one of them may be what it wants.
func withoutAutomatic(f found, nested *schema.Nested, automatic map[string]bool) cty.Value {
	have, t := valuesIn(f.object.values.get(nested.Kind)), nested.ValueType()
	want := valuesIn(unmarked(attribute(f.want, nested.Kind)))
	most := len(have)
	if slices.ContainsFunc(want, func(w cty.Value) bool { return !w.IsWhollyKnown() }) {
		most = max(0, len(have)-len(want))
	}
	var kept, added []cty.Value
	for _, v := range have {
		address := addressOf(textOf(attribute(v, keyAddress)))
		if subnet := textOf(attribute(v, "subnet")); len(added) < most && address.Is6() && automatic[subnet] && !writes(want, v) {
			added = append(added, fromMap(map[string]any{"subnet": subnet}, t.ElementType()))
			continue
		}
		kept = append(kept, v)
	}
	if f.whole && len(kept) == 0 { // with no address at all it would be given others as well
		kept = added
	}
	return collection(kept, t)
}

// madeOfHardware tells whether an address of IPv6 looks like one that was made of a hardware address.
func madeOfHardware(a netip.Addr) bool {
	bytes := a.As16()
	return a.Is6() && bytes[11] == 0xff && bytes[12] == 0xfe
}

func (k portKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	return k.auto.leaveOut(ctx, s, objects, k.schema.Nested(fixedBlock))
}

func (k routerKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	return k.auto.leaveOut(ctx, s, objects, k.schema.Nested(outerBlock))
}
