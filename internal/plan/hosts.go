package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keepRunning keeps what instances run on, whoever they belong to, apart from those of ours that the
// same plan deletes. A service that was never there as a whole has none. Once Nova is gone, or going,
// which this rule allowed, nobody can be asked and nothing runs.
func (p *Plan) keepRunning(in *Input) {
	if !slices.ContainsFunc(in.Entries, func(e inventory.Entry) bool {
		return e.Class == unit.ClassService && e.Address.Name() == nova && e.Phase != inventory.Deleting
	}) {
		return
	}
	running := 0
	for _, n := range in.Hosts.Count {
		running += n
	}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Kind == kindInstance && c.Action == unit.ActionDelete && in.Seen(c.Address).Existence == unit.Present {
			running--
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if !carriesInstances(c) || in.Hosts.None {
			continue
		}
		if e := entryOf(in.Entries, c.Address); e == nil || e.Applied == "" {
			continue
		}
		switch {
		case in.Hosts.Err != nil:
			c.delay(fmt.Sprintf("it is unknown whether instances run on it: %v", in.Hosts.Err))
		case running > 0:
			c.delay(fmt.Sprintf("instances run on it (%d): delete them first", running))
		}
	}
}

// carriesInstances tells whether a change takes away a service without which instances stop or lose
// their networks.
func carriesInstances(c *Change) bool { return c.Action == unit.ActionDelete && underInstances(c) }

func underInstances(c *Change) bool {
	return c.Class == unit.ClassService && slices.Contains([]string{nova, "libvirt", "neutron", "openvswitch", "ovn"}, c.Address.Name())
}

// hosting tells whether the cloud may have instances: Nova was there as a whole once, or is now.
func hosting(in *Input) bool {
	isNova := func(class unit.Class, a addr.Object) bool { return class == unit.ClassService && a.Name() == nova }
	return slices.ContainsFunc(in.Entries, func(e inventory.Entry) bool {
		return isNova(e.Class, e.Address) && e.Applied != "" && e.Phase != inventory.Deleting
	}) || slices.ContainsFunc(in.Units, func(u unit.Unit) bool {
		return isNova(u.Class, u.Address) && in.Seen(u.Address).Ready()
	})
}

// keepPods keeps the pods of DaemonSets while instances run on their nodes. A cloud whose Nova was never
// there as a whole has none, and may be put right.
func (p *Plan) keepPods(in *Input) {
	if in.Hosts.None || !hosting(in) {
		return
	}
	where := p.occupied(in)
	for i := range p.Changes {
		c := &p.Changes[i]
		if !endsPods(c) {
			continue
		}
		if in.Hosts.Err != nil {
			c.block(fmt.Sprintf("%s, and it is unknown whether instances run there: %v", stopText(c.Stops[0]), in.Hosts.Err))
			continue
		}
		var causes, hosts []string
		for _, stop := range c.Stops {
			under := false
			for _, node := range stop.Nodes {
				n := where.on(node)
				if text := fmt.Sprintf("%s (%d)", node, n); n > 0 {
					under = true
					hosts = append(hosts, text)
				}
			}
			if under {
				causes = append(causes, stopText(stop))
			}
		}
		slices.Sort(hosts)
		if hosts = slices.Compact(hosts); len(hosts) > 0 {
			c.block(fmt.Sprintf("pods would end under the instances on %s: %s; move or delete these instances first, or undo the change", few(hosts), few(causes)))
		} else if len(where.strays) > 0 {
			c.block(fmt.Sprintf("%s, and it is unknown whether instances run there: %s", stopText(c.Stops[0]), where.stray("or undo the change")))
		}
	}
}

// endsPods tells whether a change ends pods that instances may need.
func endsPods(c *Change) bool {
	return underInstances(c) && len(c.Stops) > 0 && (c.Action == unit.ActionUpdate || c.Action == unit.ActionRestart)
}

func stopText(s unit.Stop) string { return s.Object.String() + " " + s.Why }

// maxNamed is how many things a sentence names.
const maxNamed = 5

func few(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		names = append(slices.Clone(names[:maxNamed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// keepHosts keeps nodes as they are while instances run there. In a cloud with our Nova a host that is none
// of the nodes may be any that we gave the role for it, under another name. Where nobody can be asked, a node without that role goes on.
func (p *Plan) keepHosts(in *Input) {
	names, occupied, hosting, going := namesOf(in.Units), p.occupied(in), hosting(in), novaGoes(in)
	for i := range p.Changes {
		c := &p.Changes[i]
		if in.Hosts.None || !takesAway(c) && (!givesSlot(c) || !hosting) {
			continue
		}
		name, where := nodeOf(in.Entries, names, c), "there"
		if c.Action == unit.ActionReplace {
			where = "on " + name
		}
		may := mayHave(in, c, unit.ComputeLabel)
		switch n := occupied.on(name); {
		case in.Hosts.Err != nil && may && !going:
			c.delay(fmt.Sprintf("it is unknown whether instances run %s: %v", where, in.Hosts.Err))
		case n > 0:
			c.delay(fmt.Sprintf("instances run %s (%d): move or delete them before its %s%s", where, n, turning(c), in.meanwhile(name)))
			p.occupiedNodes = append(p.occupiedNodes, name)
		case len(occupied.strays) > 0 && may && hosting:
			c.delay(fmt.Sprintf("it is unknown whether instances run %s: %s", where, occupied.stray("before its "+turning(c))))
		default:
			c.closesFirst(in, name)
		}
	}
}

// turning says what of a node changes, by the labels that it takes or writes anew.
func turning(c *Change) string {
	roles, slot := c.Action.Destroys(), false
	for _, f := range c.Fields {
		switch {
		case ofSlot(f):
			slot = true
		case takesRole(f):
			roles = true
		}
	}
	switch {
	case roles && slot:
		return "roles and its slot change"
	case slot:
		return "slot changes"
	default:
		return "roles change"
	}
}

// takesAway tells whether a change takes labels from a node that pods run there by.
func takesAway(c *Change) bool {
	if c.Kind != unit.KindNode || c.Action != unit.ActionUpdate {
		return c.Kind == unit.KindNode && c.Action.Destroys()
	}
	return slices.ContainsFunc(c.Fields, func(f unit.Field) bool {
		return takesRole(f) || ofSlot(f) && f.Before != ""
	})
}

// takesRole tells whether a field is a role that a node loses. Where a label has another value than the one that
// gives a role, nothing runs by it; and nothing is chosen by the profile or by the labels that somebody wrote.
func takesRole(f unit.Field) bool {
	return f.Before != "" && f.After != unit.LabelEnabled && slices.ContainsFunc(unit.RoleLabels(), func(label string) bool { return ofLabel(f, label) })
}

func ofSlot(f unit.Field) bool { return ofLabel(f, unit.SlotLabel) }

// ofLabel tells whether a field of a node is this label. Keys with a domain are in brackets, and ours have none.
func ofLabel(f unit.Field, label string) bool {
	return f.Path == "metadata.labels."+label || f.Path == "metadata.labels["+label+"]"
}

// givesSlot tells whether a change gives a node a slot. DaemonSets choose their nodes by that, so pods that
// run there under another one, or under none, end. Where none ran for want of the role, none do.
func givesSlot(c *Change) bool {
	return c.Kind == unit.KindNode && c.Action == unit.ActionUpdate && slices.ContainsFunc(c.Fields, ofSlot) && !slices.ContainsFunc(c.Fields, givesCompute)
}

// NewSlot returns the slot that a change gives to a node that can wait for it, "" for none. A node that gets the
// role of the control plane with it cannot: what runs there may be what everything else waits for.
func (c *Change) NewSlot() string {
	slot := ""
	for _, f := range c.Fields {
		switch {
		case c.Kind != unit.KindNode, c.Action != unit.ActionUpdate, ofLabel(f, unit.ControlPlaneLabel) && f.After == unit.LabelEnabled:
			return ""
		case ofSlot(f):
			slot = f.After
		}
	}
	return slot
}

// givesCompute tells whether a field is the role compute of a node that had it not.
func givesCompute(f unit.Field) bool {
	return ofLabel(f, unit.ComputeLabel) && f.Before != unit.LabelEnabled && f.After == unit.LabelEnabled
}

// AsksHosts tells whether a change may depend on where instances run: what was true when the plan was made
// may not be so any more once it is made.
func (c *Change) AsksHosts() bool {
	return takesAway(c) || givesSlot(c) || carriesInstances(c) || endsPods(c)
}

// AsksHosts tells whether the plan takes roles from a node or gives it a slot, or takes away or ends
// what instances run on, so that it depends on where there are any.
func (p *Plan) AsksHosts() bool { return p.asks }

func (p *Plan) asksHosts(in *Input) bool {
	hosting := hosting(in)
	return slices.ContainsFunc(p.Changes, func(c Change) bool {
		return takesAway(&c) || carriesInstances(&c) || hosting && (givesSlot(&c) || endsPods(&c))
	})
}
