package resolve

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// removals takes the removed blocks.
func (r *resolver) removals(m *model.Model, removed, moved []*stated) {
	first, sources := map[addr.Address]*stated{}, map[addr.Address]*stated{}
	for _, s := range moved {
		if s.from != nil {
			sources[s.from] = cmp.Or(sources[s.from], s)
		}
	}
	for _, s := range removed {
		leave := r.scope.enter(s.module, s.Block)
		if o, ok := s.from.(addr.Object); ok && o.Kind() == schema.CloudKind {
			r.tearDown(m, s)
			leave()
			continue
		}
		if data := s.Attribute(schema.DeleteData); data != nil {
			r.scope.fail(codeRemoved, data.Range, "no data of its own", "delete_data names services whose data goes with the whole cloud, and from does not name that",
				"take the line away; the claims to volumes of a service that is uninstalled stay, and are deleted by hand")
		}
		if s.from != nil && r.removable(s, first[s.from], sources[s.from]) {
			first[s.from] = s
		}
		if destroy, ok := r.destroy(s); ok && s.from != nil {
			m.Removals = append(m.Removals, model.Removal{From: s.from, Destroy: destroy, Range: s.Range})
		}
		leave()
	}
}

// tearDown takes a removed block that names the cloud: all that is on record goes. The name in it is what keeps
// one that was copied from another configuration from doing that here.
func (r *resolver) tearDown(m *model.Model, s *stated) {
	o, _ := s.from.(addr.Object)
	cloud := r.config.Cloud
	destroy, ok := r.destroy(s)
	data := r.deleteData(s)
	switch {
	case !s.module.path.IsRoot():
		r.scope.fail(codeRemoved, s.From.Range, "no cloud here", "the cloud is described at the root of the configuration", "move the block to a file of the root")
	case cloud == nil: // told
	case o.Name() != cloud.Label():
		r.scope.fail(codeRemoved, s.From.Range, "another cloud", fmt.Sprintf("there is no %s: this configuration describes %s, which nothing is taken away from", o, cloud.Address),
			fmt.Sprintf("to take everything away that %s has, write: from = %s", cloud.Address, cloud.Address))
	case m.TearDown:
		r.scope.fail(codeRemoved, s.From.Range, "removed twice", fmt.Sprintf("another block says that %s is to be taken away", o), "keep one of the two blocks")
	case ok && !destroy:
		r.scope.fail(codeRemoved, s.From.Range, "a cloud cannot be left as it is", "destroy = false forgets single things, and a cloud that nothing is known of any more could only be taken away by hand",
			"take the block away, and stop the daemon; what it has made stays then")
	default:
		m.TearDown = true
		m.Removals = append(m.Removals, model.Removal{From: addr.Module{}, Destroy: true, DeleteData: data, Range: s.Range})
	}
}

// deleteData evaluates which services' data goes with the cloud, sorted.
func (r *resolver) deleteData(s *stated) []string {
	a := s.Attribute(schema.DeleteData)
	if a == nil {
		return nil
	}
	v, ok := r.shown(a)
	if !ok || v.IsNull() {
		return nil
	}
	services := model.NamesOf(v)
	var unknown []string
	for _, service := range services {
		if _, known := r.definition.Service(service); !known {
			unknown = append(unknown, fmt.Sprintf("%q", service))
		}
	}
	if len(unknown) > 0 {
		r.scope.fail(codeRemoved, a.Range, "unknown service", "there is no service named "+strings.Join(unknown, " or "), r.serviceHint(""))
	}
	return services
}

// removable tells whether what a removed block names is gone from the configuration, and by no other
// block is said to be elsewhere.
func (r *resolver) removable(s, before, moved *stated) bool {
	if o, ok := s.From.Address.(addr.Object); ok && (!s.module.path.IsRoot() || !o.Module().IsRoot()) {
		switch o.Kind() {
		case "service":
			r.scope.fail(codeRemoved, s.From.Range, "no service here", "services belong to the cloud, which is at the root of the configuration", "move the block to a file of the root")
			return false
		case nodeKind:
			r.scope.fail(codeRemoved, s.From.Range, "no node here", "nodes stand at the root of the configuration", "move the block to a file of the root")
			return false
		}
	}
	if o, ok := s.From.Address.(addr.Object); ok && o.Kind() == "service" {
		if _, known := r.definition.Service(o.Name()); !known {
			r.scope.fail(codeRemoved, s.From.Range, "unknown service", fmt.Sprintf("there is no service named %q, now or before", o.Name()),
				r.serviceHint(o.Name()))
			return false
		}
	}
	if before != nil {
		r.scope.fail(codeRemoved, s.From.Range, "removed twice", fmt.Sprintf("%s is also named at %s", s.name(s.from), place(before.Range)), "keep one of the two blocks")
		return false
	}
	switch now := r.standing(s.module, s.from, !keyed(s.from)); {
	case now.there && moved != nil && moved.to != nil && r.standing(moved.module, moved.from, !keyed(moved.from) && !keyed(moved.to)).there:
		// The moved block is told of it, with this one.
	case moved != nil:
		r.scope.fail(codeRemoved, s.From.Range, "moved and removed", fmt.Sprintf("%s is moved at %s", s.name(s.from), place(moved.Range)), "name the address that it is moved to, or keep one of the two blocks")
	case now.there:
		r.scope.fail(codeRemoved, s.From.Range, "what is removed is still there", fmt.Sprintf("%s is in the configuration, at %s", s.name(s.from), place(now.where)), "take one of the two blocks away")
	}
	return true
}

// destroy evaluates the lifecycle of a removed block.
func (r *resolver) destroy(s *stated) (destroy, ok bool) {
	for _, lifecycle := range s.Blocks {
		if a := lifecycle.Attribute("destroy"); a != nil {
			v, ok := r.shown(a)
			if !ok {
				return false, false
			}
			return v.IsNull() || v.True(), true
		}
	}
	return true, true
}
