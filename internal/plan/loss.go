package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// consent holds back a replacement, or a change in place, by which something is lost for good, unless its block agrees to
// that; a remedy is agreed to where it is written.
func (c *Change) consent(u *unit.Unit, desired cty.Value) {
	resource, ok := u.Spec.(*unit.Resource)
	if !ok || c.Heals || u.MayLose || resource.Block == nil {
		return
	}
	lost, reason := "", ""
	if l := resource.Block.Loses; l != nil {
		switch {
		case c.disconnects(l.Needs):
			lost, reason = l.What, "it would be taken off what it has as "+l.Needs
		case c.reconnects(l.Needs):
			lost, reason = l.What, "it would be given another "+l.Needs
		case c.readdresses(l.Kept):
			lost, reason = l.What, "it would be given another "+l.Kept
		case c.Action != unit.ActionReplace && c.takesOut(l.Off): // else more goes than that
			lost, reason = l.There, "some of its "+l.Off+" would be taken out"
		}
	}
	if c.Action == unit.ActionReplace {
		lost, reason = cmp.Or(lost, lostBy(resource.Block, desired)), "it would have to be replaced"
	}
	if lost == "" {
		return
	}
	if c.Reason != "" {
		reason = c.Reason + ", so that " + reason
	}
	c.block(fmt.Sprintf("%s, and %s would be lost: write lifecycle { replace = true } to have that, or put back what it was", reason, lost))
}

// disconnects tells whether an attribute that was written is taken out, and what it names with it.
func (c *Change) disconnects(name string) bool {
	return c.Action.Changes() && slices.ContainsFunc(c.Fields, func(f unit.Field) bool { return f.Path == name && f.Before != "" && f.After == "" })
}

// reconnects tells whether an attribute names another thing than it did. What is moved back is where somebody else has put it.
func (c *Change) reconnects(name string) bool {
	return c.Action.Changes() && !c.Drift && slices.ContainsFunc(c.Fields, func(f unit.Field) bool {
		return f.Path == name && f.Before != "" && f.After != "" && f.Before != f.After
	})
}

// readdresses tells whether an address, or blocks with addresses, are written so that one goes which is there. What is put
// back is where somebody else has taken it away.
func (c *Change) readdresses(name string) bool {
	return c.Action.Changes() && !c.Drift && slices.ContainsFunc(c.Fields, func(f unit.Field) bool {
		return f.Path == name && addressGoes(f.Before, f.After)
	})
}

// takesOut tells whether something is written no longer in a list that it loses an address by. What is taken out again was
// put in by somebody else.
func (c *Change) takesOut(name string) bool {
	return c.Action.Changes() && !c.Drift && slices.ContainsFunc(c.Fields, func(f unit.Field) bool { return f.TakesOut(name) })
}

// placed is an address as nested blocks have it.
type placed struct {
	IP     string `json:"ip_address"`
	Subnet string `json:"subnet"`
}

// addressGoes tells whether one of some addresses is not among others. One that is wanted in a subnet without saying which
// is one that is there.
func addressGoes(before, after string) bool {
	var was, is []placed
	if json.Unmarshal([]byte(before), &was) != nil || json.Unmarshal([]byte(after), &is) != nil {
		return before != "" && after != "" // they are an address alone, or not told
	}
	// Those that are named stay; of the others each stays for one that may be any of its subnet.
	was = slices.DeleteFunc(was, func(w placed) bool {
		return slices.ContainsFunc(is, func(a placed) bool { return sameAddress(a.IP, w.IP) })
	})
	for _, w := range was {
		i := slices.IndexFunc(is, func(a placed) bool { return a.IP == "" && a.Subnet == w.Subnet })
		if i < 0 {
			return true
		}
		is = slices.Delete(is, i, i+1)
	}
	return false
}

// sameAddress takes addresses in any spelling.
func sameAddress(a, b string) bool {
	first, err := netip.ParseAddr(a)
	second, wrong := netip.ParseAddr(b)
	return a == b || err == nil && wrong == nil && first == second
}

// lostBy is what a replacement loses, "" for nothing.
func lostBy(block *schema.Block, desired cty.Value) string {
	l := block.Loses
	if l == nil || keeps(l.Kept, desired) || l.Needs != "" && !keeps(l.Needs, desired) {
		return ""
	}
	return l.What
}

// keeps tells whether an attribute is written, or all blocks of a kind with their addresses.
func keeps(name string, desired cty.Value) bool {
	if name == "" || desired == cty.NilVal || !desired.Type().IsObjectType() || !desired.Type().HasAttribute(name) {
		return false
	}
	v, _ := desired.GetAttr(name).UnmarkDeep()
	if v.IsNull() || !v.IsKnown() {
		return !v.IsNull() // somebody writes it, or another unit tells it
	}
	if !v.CanIterateElements() {
		return true
	}
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		if !element.IsKnown() || element.GetAttr("ip_address").IsNull() {
			return false
		}
	}
	return v.LengthInt() > 0
}
