package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// overlaps tells of subnets that overlap where Neutron takes none that do: in one network, of one subnet pool, and at one router; and of
// subnet pools in one address scope. Of what a pool chooses, or is looked up, and of what nobody knows yet or wants to be corrected,
// Neutron is left to judge.
func (r *resolver) overlaps(m *model.Model) {
	c := clashes{r: r, told: map[[2]addr.Object]bool{}}
	c.within(r.pooled(m), "subnet pools of one address scope cannot overlap")
	networks, pools, all := map[string][]subnet{}, map[string][]subnet{}, map[addr.Object]subnet{}
	for i := range m.Resources {
		s, ok := subnetOf(&m.Resources[i])
		if !ok {
			continue
		}
		all[s.of.Address] = s
		if network, ok := r.meant(s.of, "network", "network"); ok {
			networks[network] = append(networks[network], s)
		}
		if pool, ok := r.meant(s.of, "subnet_pool", "subnet_pool"); ok {
			pools[pool] = append(pools[pool], s)
		}
	}
	c.within(networks, "the ranges of one network cannot overlap")
	c.within(pools, "no address of a subnet pool is in two subnets")
	for i := range m.Resources {
		o := &m.Resources[i]
		if o.Kind != "router" || !settled(o, "subnets") {
			continue
		}
		var joined []subnet
		for _, to := range claimed(o, "subnets") {
			if s, known := all[to]; known {
				joined = append(joined, s)
			}
		}
		c.among(joined, func(one, other subnet) {
			c.tellRouter(o, one, other, diag.Error, "a router takes no two that do", "give one of the two another range, or connect them to different routers")
		})
		// Neutron looks at these as it connects something, and not as a subnet comes into the network later: so it can be there.
		if network, ok := r.meant(o, "external_network", "network"); ok && settled(o, "external_network") {
			c.among(append(joined, networks[network]...), func(one, other subnet) {
				c.tellRouter(o, one, other, diag.Warning, "a router that is not there yet takes none that does with one of its gateway's network",
					"give one of the two another range; nothing has to be done where the router has both")
			})
		}
	}
}

// pooled are the ranges of the subnet pools in each address scope. Those of one pool may overlap: Neutron joins them, and compares what
// that makes with what the other pools of the scope have (_validate_address_scope_id in neutron/db/db_base_plugin_v2.py).
func (r *resolver) pooled(m *model.Model) map[string][]subnet {
	scopes := map[string][]subnet{}
	for i := range m.Resources {
		o := &m.Resources[i]
		if o.Kind != "subnet_pool" || !settled(o, "prefixes", "address_scope") {
			continue
		}
		scope, ok := r.meant(o, "address_scope", "address_scope")
		prefixes, marks := o.Desired.GetAttr("prefixes").UnmarkDeep()
		if !ok || !prefixes.IsKnown() || prefixes.IsNull() {
			continue
		}
		for it := prefixes.ElementIterator(); it.Next(); {
			if _, v := it.Element(); v.IsKnown() && !v.IsNull() {
				if cidr, err := netip.ParsePrefix(v.AsString()); err == nil {
					scopes[scope] = append(scopes[scope], subnet{o, cidr.Masked(), len(marks) > 0, "prefixes"})
				}
			}
		}
	}
	return scopes
}

// subnet is one whose range is known, or one of the ranges of a subnet pool.
type subnet struct {
	of     *model.Resource
	cidr   netip.Prefix
	hidden bool
	by     string // the attribute that says it
}

// unsettledRange is what Neutron gives a subnet until a router has asked for the range that it is delegated.
const unsettledRange = "::/64"

func subnetOf(o *model.Resource) (s subnet, ok bool) {
	if o.Kind != "subnet" || !settled(o, "cidr", "network", "subnet_pool") {
		return s, false
	}
	text, hidden, _ := knownText(o.Desired, "cidr")
	cidr, err := netip.ParsePrefix(text)
	return subnet{o, cidr.Masked(), hidden, "cidr"}, err == nil && text != unsettledRange
}

// settled tells whether an object comes to be what is written of some attributes.
func settled(o *model.Resource, attributes ...string) bool {
	return o.Address.Mode() != addr.Data && (o.Lifecycle.Drift == "" || o.Lifecycle.Drift == model.DriftCorrect) &&
		!slices.ContainsFunc(attributes, func(name string) bool { return slices.Contains(o.Lifecycle.IgnoreChanges, name) })
}

// meant is what an attribute names, by its id or by its block.
func (r *resolver) meant(o *model.Resource, attribute, kind string) (string, bool) {
	if id, _, known := knownText(o.Desired, attribute); known {
		return "id " + id, id != ""
	}
	if all := claimed(o, attribute); len(all) == 1 && all[0].Kind() == kind && r.refers(o, attribute) {
		return all[0].String(), true
	}
	return "", false
}

// refers tells whether an attribute is one reference and nothing else. Of what is chosen by something that is looked up, that is all
// that is known, and two may choose differently by the same.
func (r *resolver) refers(o *model.Resource, attribute string) bool {
	b := r.Evaluator.block(o.Address)
	if b == nil {
		return false
	}
	a, targets := b.config.Attribute(attribute), 0
	if a == nil || !a.Naming {
		return false
	}
	for i := range a.References {
		if a.References[i].Target != nil {
			targets++
		}
	}
	return targets <= 1
}

// clashes are pairs of subnets that overlap. Each is told once.
type clashes struct {
	r    *resolver
	told map[[2]addr.Object]bool
}

// within looks at what is in the same place.
func (c clashes) within(places map[string][]subnet, why string) {
	for _, place := range slices.Sorted(maps.Keys(places)) {
		c.among(places[place], func(one, other subnet) { c.tell(one, other, why) })
	}
}

// among finds those that overlap: of two ranges that do, one contains the other.
func (c clashes) among(some []subnet, tell func(one, other subnet)) {
	some = slices.Clone(some)
	slices.SortStableFunc(some, func(a, b subnet) int {
		return cmp.Or(a.cidr.Addr().Compare(b.cidr.Addr()), cmp.Compare(a.cidr.Bits(), b.cidr.Bits()))
	})
	for i, widest := 1, 0; i < len(some); i++ {
		if !some[widest].cidr.Overlaps(some[i].cidr) {
			widest = i
			continue
		}
		one, other := some[widest], some[i]
		if isBehind(rangeAt(one), rangeAt(other)) || rangeAt(one) == rangeAt(other) && one.of.Address.Compare(other.of.Address) > 0 {
			one, other = other, one
		}
		pair := [2]addr.Object{one.of.Address, other.of.Address}
		if one.of != other.of && !c.told[pair] {
			c.told[pair] = true
			tell(one, other)
		}
	}
}

func rangeAt(s subnet) diag.Range { return s.of.Ranges[s.by] }

func (c clashes) tell(one, other subnet, why string) {
	where := rangeAt(other)
	c.r.scope.add(diag.Diagnostic{
		Code: codeConflict, Subject: &where, Context: &other.of.Range, Address: other.of.Address, Summary: "ranges overlap",
		Detail: fmt.Sprintf("%s has %s, at %s, and %s", one.of.Address, rangeOrNot(one, other), place(rangeAt(one)), why),
		Hint:   "give one of the two another range, or take one of them away", HideAfter: one.hidden || other.hidden,
	})
}

func (c clashes) tellRouter(o *model.Resource, one, other subnet, severity diag.Severity, why, hint string) {
	where := cmp.Or(o.Ranges["subnets"], o.Ranges["external_network"])
	c.r.scope.add(diag.Diagnostic{
		Severity: severity, Code: codeConflict, Subject: &where, Context: &o.Range, Address: o.Address, Summary: "ranges overlap",
		Detail: fmt.Sprintf("%s has a range that overlaps with that of %s, at %s and %s, and %s", other.of.Address, one.of.Address, place(rangeAt(other)), place(rangeAt(one)), why),
		Hint:   hint,
	})
}

// rangeOrNot is the range of the first of two subnets.
func rangeOrNot(one, other subnet) string {
	switch {
	case one.hidden || other.hidden:
		return "a range that overlaps with this one"
	case one.cidr == other.cidr:
		return one.cidr.String() + " as well"
	}
	return fmt.Sprintf("%s, which overlaps with %s", one.cidr, other.cidr)
}
