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
	needed := map[addr.Object][]addr.Object{} // by whom each is
	for i := range in.Units {
		u := &in.Units[i]
		for _, e := range u.Edges {
			beside[u.Address] = append(beside[u.Address], e.To)
			needed[e.To] = append(needed[e.To], u.Address)
		}
	}
	kinds := ranged(in.Language)
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Action == unit.ActionReplace && c.Class == unit.ClassResource && kinds[c.Kind] {
			if users := p.inhabitants(in, c, beside, needed); len(users) > 0 {
				c.block(fmt.Sprintf("it would have to be replaced, but %s would keep an address of the old one, which then cannot be deleted: write where the addresses are to be, in fixed_ip of a port, "+
					"which an instance takes by its ports; or write a second block beside this one, and take this one out when nothing has an address of it any more", few(users)))
			}
		}
	}
}

// ranged are the kinds that addresses are from.
func ranged(language *schema.Definition) map[string]bool {
	kinds := map[string]bool{}
	for _, kind := range language.Kinds(schema.ClassResource) {
		for _, a := range language.Resource(kind).Attributes {
			if a.Among != nil {
				kinds[a.Among.Kind] = true
			}
		}
	}
	return kinds
}

// inhabitants are the things that stay and have an address of what would be replaced. One that has it by something else that it
// needs, as an instance by a port, has another one with that.
func (p *Plan) inhabitants(in *Input, of *Change, beside, needed map[addr.Object][]addr.Object) []string {
	near := slices.Clone(needed[of.Address])
	for _, to := range beside[of.Address] {
		near = append(near, needed[to]...)
	}
	slices.SortFunc(near, addr.Object.Compare)
	var users []string
	for _, a := range slices.Compact(near) {
		c := p.Change(a)
		if c == nil {
			continue
		}
		block := in.Language.Resource(c.Kind)
		if block == nil || c.Class != unit.ClassResource || in.Seen(c.Address).Existence != unit.Present || c.Action.Destroys() || c.Later && len(c.Fields) > 0 {
			continue
		}
		for j := range block.Attributes {
			among := block.Attributes[j].Among
			if among == nil || among.Kind != of.Kind || !neighbours(beside, c.Address, of.Address, among.In) || yields(in.Seen(of.Address).Outputs, among) {
				continue
			}
			has := within(addresses(in, c.Address, among.Kind), in.Seen(of.Address).Outputs, among.Range)
			for _, to := range beside[c.Address] {
				if to.Mode() == addr.Data || !neighbours(beside, to, of.Address, among.In) {
					continue // nobody asks that one for its address
				}
				others := addresses(in, to, among.Kind)
				has = slices.DeleteFunc(has, func(a netip.Addr) bool { return slices.Contains(others, a) })
			}
			stays := shares(beside, c.Address, of.Address, among.In)
			if len(has) > 0 && !moves(block, c, among, stays) {
				users = append(users, c.Address.String())
			}
		}
	}
	return users
}

// neighbours tells whether one thing needs the other one, or both need one of a kind.
func neighbours(beside map[addr.Object][]addr.Object, a, b addr.Object, kind string) bool {
	return slices.Contains(beside[a], b) || shares(beside, a, b, kind)
}

// shares tells whether two things need one of a kind.
func shares(beside map[addr.Object][]addr.Object, a, b addr.Object, kind string) bool {
	return slices.ContainsFunc(beside[a], func(to addr.Object) bool { return to.Kind() == kind && slices.Contains(beside[b], to) })
}

// moves tells whether a change gives something other addresses: those that it had may go. Of what stays where the range is, as
// an instance that gets one more network, they do not.
func moves(block *schema.Block, c *Change, among *schema.Among, stays bool) bool {
	elsewhere := func(a *schema.Attribute) bool {
		return a != nil && a.Reference != nil && (a.Reference.Kind == among.Kind || a.Reference.Kind == among.In && !stays)
	}
	return slices.ContainsFunc(c.Fields, func(f unit.Field) bool {
		name, _, _ := strings.Cut(f.Path, ".")
		if part := block.Nested(name); part != nil {
			for i := range part.Attributes {
				if elsewhere(&part.Attributes[i]) {
					return true
				}
			}
		}
		return elsewhere(block.Attribute(name))
	})
}

// yields tells whether what has a range can be deleted while something has an address of it.
func yields(outputs cty.Value, among *schema.Among) bool {
	for name, values := range among.Yields {
		if v, _ := (known{value: outputs}).attribute(name); v != cty.NilVal && v.IsKnown() && v.Type() == cty.String && slices.Contains(values, v.AsString()) {
			return true
		}
	}
	return false
}

// addresses are those that something has of a kind.
func addresses(in *Input, a addr.Object, kind string) []netip.Addr {
	block := in.Language.Resource(a.Kind())
	if block == nil {
		return nil
	}
	var all []netip.Addr
	for i := range block.Attributes {
		if among := block.Attributes[i].Among; among == nil || among.Kind != kind {
			continue
		}
		list, _ := known{value: in.Seen(a).Outputs}.attribute(block.Attributes[i].Name)
		if list == cty.NilVal || !list.IsKnown() || !list.CanIterateElements() {
			continue
		}
		for _, v := range list.AsValueSlice() {
			if v.IsMarked() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
				continue
			}
			if address, err := netip.ParseAddr(v.AsString()); err == nil {
				all = append(all, address)
			}
		}
	}
	return all
}

// within are those of some addresses that are in the range of something.
func within(all []netip.Addr, of cty.Value, ranged string) []netip.Addr {
	at, _ := known{value: of}.attribute(ranged)
	if at == cty.NilVal || !at.IsKnown() || at.Type() != cty.String {
		return nil
	}
	prefix, err := netip.ParsePrefix(at.AsString())
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(a netip.Addr) bool { return !prefix.Contains(a) })
}
