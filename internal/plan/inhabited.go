package plan

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// keepInhabited keeps what would be replaced while others keep their addresses of it, as nothing in their blocks says where these
// are to be: OpenStack never deletes the old one then, whether the new one comes before or after.
func (p *Plan) keepInhabited(in *Input) {
	if !p.has(func(c *Change) bool { return c.Action == unit.ActionReplace && c.Class == unit.ClassResource }) {
		return
	}
	beside := map[addr.Object][]addr.Object{} // what each needs
	for i := range in.Units {
		for _, e := range in.Units[i].Edges {
			beside[in.Units[i].Address] = append(beside[in.Units[i].Address], e.To)
		}
	}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Action == unit.ActionReplace && c.Class == unit.ClassResource {
			if users := p.inhabitants(in, c, beside); len(users) > 0 {
				c.block(fmt.Sprintf("it would have to be replaced, but %s would keep an address of the old one, which then cannot be deleted: write where the addresses are to be, in fixed_ip of a port, "+
					"which an instance takes by its ports; or write a second block beside this one, and take this one out when nothing has an address of it any more", few(users)))
			}
		}
	}
}

// inhabitants are the things that stay and have an address of what would be replaced.
func (p *Plan) inhabitants(in *Input, of *Change, beside map[addr.Object][]addr.Object) []string {
	var users []string
	for i := range p.Changes {
		c := &p.Changes[i]
		block := in.Language.Resource(c.Kind)
		if block == nil || c.Class != unit.ClassResource || in.Seen(c.Address).Existence != unit.Present || c.Action.Destroys() || c.Later && len(c.Fields) > 0 {
			continue
		}
		for j := range block.Attributes {
			among := block.Attributes[j].Among
			if among == nil || among.Kind != of.Kind || !neighbours(beside, c.Address, of.Address, among.In) {
				continue
			}
			if within(in.Seen(c.Address).Outputs, block.Attributes[j].Name, in.Seen(of.Address).Outputs, among.Range) && !moves(block, c, among) {
				users = append(users, c.Address.String())
			}
		}
	}
	return users
}

// neighbours tells whether one thing needs the other one, or both need one of a kind.
func neighbours(beside map[addr.Object][]addr.Object, a, b addr.Object, kind string) bool {
	return slices.ContainsFunc(beside[a], func(to addr.Object) bool {
		return to == b || to.Kind() == kind && slices.Contains(beside[b], to)
	})
}

// moves tells whether a change gives something other addresses: those that it had may go.
func moves(block *schema.Block, c *Change, among *schema.Among) bool {
	return slices.ContainsFunc(c.Fields, func(f unit.Field) bool {
		name, _, _ := strings.Cut(f.Path, ".")
		a := block.Attribute(name)
		return block.Nested(name) != nil || a != nil && a.Reference != nil && (a.Reference.Kind == among.Kind || a.Reference.Kind == among.In)
	})
}

// within tells whether one of the addresses of one thing is in the range of another one.
func within(outputs cty.Value, addresses string, of cty.Value, ranged string) bool {
	at, _ := known{value: of}.attribute(ranged)
	list, _ := known{value: outputs}.attribute(addresses)
	if at == cty.NilVal || list == cty.NilVal || !at.IsKnown() || at.Type() != cty.String || !list.CanIterateElements() {
		return false
	}
	prefix, err := netip.ParsePrefix(at.AsString())
	return err == nil && slices.ContainsFunc(list.AsValueSlice(), func(v cty.Value) bool {
		if v.IsNull() || !v.IsKnown() || v.IsMarked() || v.Type() != cty.String {
			return false
		}
		address, err := netip.ParseAddr(v.AsString())
		return err == nil && prefix.Contains(address)
	})
}
