package plan

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A mark says for which address an object was created, and a move leaves it as it is: where the object
// stands now is known to the inventory alone. Should that be lost, the moved blocks tell how to read the
// marks. Without them nothing is guessed.

// maxOrigins bounds how many addresses are tried for one: the nearest ones come first.
const maxOrigins = 16

// origins returns the addresses from which moves lead to one.
func origins(moves []model.Move, a addr.Object) []addr.Object {
	var found []addr.Object
	var sorted []model.Move
	for queue := []addr.Object{a}; len(queue) > 0; queue = queue[1:] {
		for _, m := range moves {
			from, leads := queue[0].Move(m.To, m.From)
			if !leads || from == a || slices.Contains(found, from) {
				continue
			}
			if sorted == nil {
				sorted = specific(moves)
			}
			if to, moved := step(sorted, from); !moved || to != queue[0] {
				continue // a more specific block moves it elsewhere
			}
			if found = append(found, from); len(found) == maxOrigins {
				return found
			}
			queue = append(queue, from)
		}
	}
	return found
}

// uids are those that the thing of an address can have: its own, the one for what is created next first,
// and those of the addresses that it may have been moved from.
func (i Identity) uids(a addr.Object) []string {
	uids := i.Marker.UIDs(a, i.Used)
	for _, from := range origins(i.Moves, a) {
		uids = append(uids, i.Marker.UIDs(from, i.Used)...)
	}
	return uids
}

// keepLost creates nothing beside an object that has the same name and a mark of ours that nothing on
// record explains: the inventory was lost after it was moved, and it may be the very thing. What has
// the address that the mark is of does not take it either when it would have to give it another name.
// Nor is anything created beside an object whose mark cannot be checked: it may be ours of an installation
// that was lost, and a second one of the same name is nobody's wish. What has an id on record was there beside such a one, and is
// made again; but one of ours may have taken its place since, where the inventory is an older one. By such a one what has been
// moved may be on record where something else has come since: it is neither renamed nor replaced for that.
func (p *Plan) keepLost(in *Input) {
	if !p.has(func(c *Change) bool { return c.Action == unit.ActionCreate }) {
		return
	}
	doubtful := p.doubtful(in)
	used, holders, known := map[string]bool{}, map[string]*Change{}, map[addr.Object]bool{}
	for i := range in.Entries {
		known[in.Entries[i].Address] = in.Entries[i].ID != ""
		for _, uid := range in.Entries[i].UIDs() {
			used[uid] = true
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if st := in.Seen(c.Address); st.Owned && st.Mark != "" {
			holders[st.Mark] = c
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Action != unit.ActionCreate {
			continue
		}
		for _, o := range in.Seen(c.Address).Marked {
			uid, ours := in.Marker.Own(o.Mark)
			if !ours && known[c.Address] {
				continue
			}
			if !ours {
				c.block(fmt.Sprintf("%s has this name and a KupenStack mark that cannot be checked: another installation made it, or one that was lost. Restore the Secret of that one, rename one of the two, or take the mark off to have it taken over", o.Name))
				break
			}
			if slices.Contains(doubtful, o.Mark) {
				c.block(fmt.Sprintf("%s has this name and the mark of what is on record and no block wants, and %s: if it was moved here, write its moved block again; else name what is on record in a removed block, or rename one of the two", o.Name, in.Doubt))
				break
			}
			holder := holders[o.Mark]
			if in.Doubt != "" && used[uid] && holder != nil && holder != c && holder.Renames() {
				text := "%s has the mark of %s and the name of %s, and " + in.Doubt + ": if it was moved there, write its moved block again and leave the block of %[2]s away until it is on record; else rename one of the two"
				c.block(fmt.Sprintf(text, o.Name, holder.Address, c.Address))
				holder.block(c.Reason)
				c.doubted, holder.doubted = true, true
				break
			}
			if used[uid] {
				continue
			}
			if holder != nil && !holder.Renames() {
				continue // that one has the name, too
			}
			if known[c.Address] {
				c.block(fmt.Sprintf("what is on record is gone, and %s has this name and a mark of ours, which nothing on record explains, as where the inventory was restored from an older backup: "+
					"to have that one, give up the record by a removed block with destroy = false, and then write this block again, or its moved block; else rename one of the two", o.Name))
				break
			}
			c.block(fmt.Sprintf("%s has this name and a mark of ours, and nothing on record says what it is: if it was moved here, write its moved block again, else rename one of the two", o.Name))
			if holder != nil {
				holder.block(fmt.Sprintf("%s has its mark and the name of %s, and nothing on record says which of the two it is: if it was moved there, write its moved block again and leave this block away until it is on record", o.Name, c.Address))
			}
			break
		}
	}
}
