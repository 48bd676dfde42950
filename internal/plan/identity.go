package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Imports say which objects are to be taken over, by the addresses that they get.
type Imports map[addr.Object]model.Import

// ImportsOf returns the import blocks of a configuration by address.
func ImportsOf(list []model.Import) Imports {
	imports := make(Imports, len(list))
	for _, i := range list {
		imports[i.To] = i
	}
	return imports
}

// Identity decides who a unit is: by which id, uid and marks it is found, and what goes on record of
// that.
type Identity struct {
	Marker  inventory.Marker
	Imports Imports
	// Moves tell by which other marks something is found that nothing is on record of.
	Moves []model.Move
	// Used tells whether anything on record has a uid, be it only until it is deleted. Nil means that
	// nothing is on record.
	Used func(uid string) bool
	// Inventory tells what else is on record. Nil means that nobody asks.
	Inventory *inventory.Inventory
	// Nodes are those that the configuration has.
	Nodes Nodes
	// CleanUps is what goes with services that are uninstalled.
	CleanUps map[addr.Object][]string
	// Removals tell of which services the data goes with them.
	Removals Removals
}

// Target joins what the configuration wants with what the inventory knows. Either may be nil, not
// both.
func (i Identity) Target(u *unit.Unit, entry *inventory.Entry) unit.Target {
	var t unit.Target
	if u != nil {
		t.Address, t.Spec, t.Locator = u.Address, u.Spec, u.Spec.Locator()
	}
	if entry != nil {
		if imported, ok := i.imports(entry); ok {
			t.Import, t.ImportBy = imported.ID, imported.Filter
		}
		if u != nil {
			t.Leaves = i.Nodes.leaves(u, entry)
		} else {
			t.CleanUp = i.CleanUps[entry.Address]
			if t.TakesData = i.Removals.takesData(entry); t.TakesData {
				t.Data = entry.Data
			}
		}
		t = i.Recorded(t, entry)
		if t.Attempted = entry.Attempted; i.Inventory != nil && t.ID == "" {
			at, a := t.Locator, t.Address
			t.Parts = func(id string) bool { return i.Inventory.Parts(at, id, a) }
			t.Taken = func(id string) bool { return i.Inventory.Has(at, id, a) || i.Inventory.Parts(at, id, a) }
		}
		return t
	}
	uids := i.uids(t.Address)
	imported := i.Imports[t.Address]
	t.UID, t.Mark, t.Fresh, t.Import, t.ImportBy = uids[0], i.Marker.Mark(uids[0]), true, imported.ID, imported.Filter
	if t.Locator.Driver == unit.OpenStack {
		// Without the inventory it is not known which of them it has, but one that something else on
		// record has is not among them.
		for _, uid := range uids[1:] {
			t.Marks = append(t.Marks, i.Marker.Mark(uid))
		}
	}
	return t
}

// Recorded returns a target with what the inventory says of it, but for whether an attempt was begun before: the entry of
// one that is about to begin says that it was. That counts for what exists: objects
// that are no longer wanted are found only there.
func (i Identity) Recorded(t unit.Target, entry *inventory.Entry) unit.Target {
	t.Address, t.Locator, t.UID, t.ID, t.Imported = entry.Address, entry.Locator, entry.UID, entry.ID, entry.Imported
	t.ByImport = i.byImport(entry)
	t.Mark, t.Complete, t.Applied, t.Set, t.Run = i.Marker.Mark(entry.UID), entry.Applied != "", Lasting(entry), entry.Set, entry.Run
	t.Deleted = entry.Phase == inventory.Deleting
	t.Before, t.Again = entry.Before, entry.Again && entry.Phase == inventory.Intent
	if t.Locator.Kind == unit.KindObjects {
		t.Origins = origins(i.Moves, entry.Address)
	}
	return t
}

// Lasting returns the digest that a record has, or, of a set of objects whose deletion was begun, as far as it counts:
// what passes may have gone by that.
func Lasting(entry *inventory.Entry) string {
	if entry.Phase == inventory.Deleting && entry.Locator.Kind == unit.KindObjects {
		return unit.Outlasting(entry.Applied, "")
	}
	return entry.Applied
}

// Lost returns the ids of what a unit was made from and somebody else deleted, by those of what was made again
// in its place.
func Lost(u *unit.Unit, entry func(addr.Object) (inventory.Entry, bool)) map[string][]string {
	var lost map[string][]string
	for _, e := range u.Edges {
		to, ok := entry(e.To)
		if !ok || to.ID == "" || len(to.Lost) == 0 {
			continue
		}
		if lost == nil {
			lost = map[string][]string{}
		}
		lost[to.ID] = to.Lost
	}
	return lost
}

// Former returns the target for what an entry's thing has taken the place of. Of one that an older program put on record
// nothing says what we had set: what took its place is from the same block, so that what has been set there counts.
func (i Identity) Former(entry inventory.Entry, f inventory.Former) unit.Target {
	set := f.Set
	if set == nil {
		set = entry.Set
	}
	return unit.Target{Address: entry.Address, Locator: f.Locator, UID: f.UID, Mark: i.Marker.Mark(f.UID), ID: f.ID, Set: set, Replaced: true}
}

// First returns the first entry of a unit, for what was seen of it.
func (i Identity) First(u *unit.Unit, state unit.State) inventory.Entry {
	uids := i.uids(u.Address)
	entry := inventory.Entry{Address: u.Address, UID: uids[0], Phase: inventory.Intent, Class: u.Class, Locator: u.Spec.Locator()}
	entry.Imported = state.Existence == unit.Present && !state.Owned
	for _, uid := range uids {
		if state.Owned && state.Mark == i.Marker.Mark(uid) {
			entry.UID = uid // it took the place of another one, or was moved, before the inventory was lost
		}
	}
	return entry
}

// Take returns an entry with the id of what is taken over because the configuration names it. With the
// id on record nobody looks for it by its name, or imports it a second time.
func (i Identity) Take(entry inventory.Entry, state unit.State) inventory.Entry {
	if _, ok := i.imports(&entry); ok && state.Existence == unit.Present && !state.Owned && state.ID != "" {
		entry.ID, entry.Imported, entry.ByImport = state.ID, true, true
	}
	return entry
}

// Anew returns the entry for what is created where something was that is gone.
func (i Identity) Anew(entry inventory.Entry) inventory.Entry { return i.note(entry, entry.ID).Anew() }

// Succeed returns the entry for what takes the place of the object with an id, which stays on record
// until it is deleted. It returns false while too many such objects are left.
func (i Identity) Succeed(entry inventory.Entry, id string) (inventory.Entry, bool) {
	return i.note(entry, id).Succeed(i.Marker, i.Used, id)
}

// note remembers an id that an entry will not have any more, if there is a block that would import it, or
// that may find another object by its filter.
func (i Identity) note(entry inventory.Entry, id string) inventory.Entry {
	if imported := i.Imports[entry.Address]; id != "" && (id == imported.ID || imported.Filter != cty.NilVal) {
		entry.ImportedID = id
	}
	return entry
}

// imports returns what is to be imported for an entry. It returns false when it has an id, or has had that one; and with
// a filter, when it has had any: what the filter finds now may be another object.
func (i Identity) imports(entry *inventory.Entry) (model.Import, bool) {
	imported, ok := i.Imports[entry.Address]
	if !ok || entry.ID != "" {
		return model.Import{}, false
	}
	if imported.Filter != cty.NilVal {
		return imported, entry.ImportedID == "" && len(entry.Former) == 0
	}
	return imported, entry.ImportedID != imported.ID && !slices.ContainsFunc(entry.Former, func(f inventory.Former) bool { return f.ID == imported.ID })
}

// byImport tells whether what has an id on record was imported. The block tells it as well, where the record was lost or
// an older program made it.
func (i Identity) byImport(entry *inventory.Entry) bool {
	imported, ok := i.Imports[entry.Address]
	return entry.ID != "" && (entry.ByImport || ok && (imported.ID == entry.ID || imported.Filter != cty.NilVal && entry.Imported))
}

// keepOwners refuses to take over what is on record as something else: kinds without marks do not show
// it, and what one block has by its name is not the next one's as well. What filters of several blocks find is imported by none of them, and what has the name that several want, and nobody's mark,
// is taken over by none.
func (p *Plan) keepOwners(in *Input) {
	type identity struct{ kind, id string }
	takers := map[identity][]*Change{}
	for i := range p.Changes {
		c := &p.Changes[i]
		of := identity{c.Kind, cmp.Or(in.Imports[c.Address].ID, in.Seen(c.Address).ID)}
		if of.id != "" && (c.Action == unit.ActionImport || c.Class == unit.ClassResource && (c.Action == unit.ActionAdopt || in.unsure(c))) {
			takers[of] = append(takers[of], c)
		}
	}
	if len(takers) == 0 {
		return
	}
	owners, replaced := map[identity]addr.Object{}, map[identity]bool{}
	own := func(kind, id string, a addr.Object, former bool) {
		of := identity{kind, id}
		if takers[of] == nil {
			return
		}
		owners[of], replaced[of] = a, former
		takers[of] = slices.DeleteFunc(takers[of], func(c *Change) bool {
			return c.Address == a && c.Action != unit.ActionImport && c.Action != unit.ActionAdopt
		})
	}
	for i := range in.Entries {
		e := &in.Entries[i]
		own(e.Locator.Kind, e.ID, e.Address, false)
		if made := (identity{e.Locator.Kind, in.Seen(e.Address).ID}); e.ID == "" && owners[made].IsZero() && in.remade(p.Change(e.Address)) {
			owners[made] = e.Address
		}
		for _, f := range e.Former { // it is about to be deleted
			own(f.Locator.Kind, f.ID, e.Address, true)
		}
	}
	for of, changes := range takers {
		owner, owned := owners[of]
		free := slices.DeleteFunc(slices.Clone(changes), func(c *Change) bool { return owned && owner != c.Address || c.Action != unit.ActionImport })
		for _, c := range changes {
			gives, renamed := replaced[of] || p.isReplaced(owner), p.isRenamed(owner)
			becomes := p.means(owner, unit.ActionUpdate) && !in.named(c.Address) // all that changes of these is what tells them apart
			switch {
			case !owned || owner == c.Address:
			case c.Action == unit.ActionImport || p.goes(owner) || !gives && !renamed && in.named(c.Address):
				c.block(fmt.Sprintf("the %s with the id %s is %s already: to give it another address, write a moved block", c.Kind, of.id, owner))
			case gives:
				c.block(fmt.Sprintf("the %s with the id %s is %s already, which is to be another one: this is made once that is gone; a moved block would hand it over instead", c.Kind, of.id, owner))
			case becomes:
				c.block(fmt.Sprintf("the %s with the id %s is %s already, which is to be another one: this is made once it is that; a moved block would hand it over instead", c.Kind, of.id, owner))
			case renamed:
				c.block(fmt.Sprintf("the %s with the id %s is %s already, which is to get another name: this is made once it has that; a moved block would hand it over instead", c.Kind, of.id, owner))
			}
		}
		for i, c := range changes {
			if other := changes[(i+1)%len(changes)].Address; c.Action == unit.ActionAdopt && other != c.Address && in.named(c.Address) {
				c.block(fmt.Sprintf("the %s with the id %s has the name that %s wants as well, and nobody's mark: write an import block for the one of the two that it is to be", c.Kind, of.id, other))
			}
		}
		if len(free) < 2 {
			continue
		}
		for i, c := range free {
			other := free[(i+1)%len(free)].Address
			c.block(fmt.Sprintf("the %s with the id %s would be imported as %s as well: have its filter find one that the others do not", c.Kind, of.id, other))
		}
	}
}

// unsure tells whether a change is of what bears no mark, and counts as that of the block because an attempt may have made it.
func (in *Input) unsure(c *Change) bool {
	return (c.Action == unit.ActionNone || c.Action == unit.ActionUpdate) && in.unmarked(c.Address)
}

// remade tells whether a change makes another thing of what bears no mark, and an attempt may have made that is cut off by now.
func (in *Input) remade(c *Change) bool {
	return c != nil && (c.Action == unit.ActionReplace || c.Action == unit.ActionUpdate) && c.Class == unit.ClassResource && in.unmarked(c.Address)
}

// unmarked tells whether something counts as that of a block though it bears no mark. What is looked up is nobody's.
func (in *Input) unmarked(a addr.Object) bool {
	state := in.Seen(a)
	return a.Mode() != addr.Data && state.Owned && state.Mark == ""
}

// named tells whether an object has a name by which it was found. Others are told apart by what they connect, and may be wanted twice.
func (in *Input) named(a addr.Object) bool {
	i := slices.IndexFunc(in.Units, func(u unit.Unit) bool { return u.Address == a })
	if i < 0 {
		return false
	}
	r, ok := in.Units[i].Spec.(*unit.Resource)
	return ok && r.Block != nil && r.Block.Attribute("name") != nil
}

// goes tells whether something is to be deleted that no block wants. What has its name and no mark would be taken over just to go with it.
func (p *Plan) goes(a addr.Object) bool { return p.means(a, unit.ActionDelete) }

// isReplaced tells whether another object is to take the place of what something is now, which goes then.
func (p *Plan) isReplaced(a addr.Object) bool { return p.means(a, unit.ActionReplace) }

// isRenamed tells whether something is to get another name, and stays what it is.
func (p *Plan) isRenamed(a addr.Object) bool {
	return p.means(a, unit.ActionUpdate) && p.Change(a).Renames()
}

// Renames tells whether a change gives something another name.
func (c *Change) Renames() bool {
	return slices.ContainsFunc(c.Fields, func(f unit.Field) bool { return f.Path == "name" })
}

// means tells whether something is to be done, or would be if it were not blocked.
func (p *Plan) means(a addr.Object, action unit.Action) bool {
	c := p.Change(a)
	return c != nil && (c.Action == action || c.Action == unit.ActionBlocked && c.Wanted == action)
}
