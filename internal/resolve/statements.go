package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

// The codes of what can be wrong with blocks that say what became of objects.
const (
	codeMoved     diag.Code = "resolve.moved"
	codeImport    diag.Code = "resolve.import"
	codeRemoved   diag.Code = "resolve.removed"
	codeSuspended diag.Code = "resolve.suspended"
)

// maxStatements bounds how many moved, removed and suspended blocks there can be, each counted once for each
// instance of the module that it stands in: every one is held against everything on record.
const maxStatements = 1000

// stated is a moved, removed or suspended block in one instance of the module that it stands in.
type stated struct {
	*config.Statement
	module   *module
	from, to addr.Address // from the root on; nil where the kind has none, or what is written is no address
}

// name is an address as the module has to write it in which the block stands.
func (s *stated) name(a addr.Address) string { return s.module.name(a) }

func (m *module) name(a addr.Address) string {
	if m.path.IsRoot() {
		return a.String()
	}
	return strings.TrimPrefix(a.String(), m.path.String()+".")
}

// statements adds to the model what moved, import, removed and suspended blocks say.
func (r *resolver) statements(m *model.Model) {
	moved, ok := r.stated(func(c *config.Module) []*config.Statement { return c.Moved })
	removed, all := r.stated(func(c *config.Module) []*config.Statement { return c.Removed })
	if ok && all {
		r.moves(m, moved, removed)
		r.removals(m, removed, moved)
	}
	if suspended, ok := r.stated(func(c *config.Module) []*config.Statement { return c.Suspended }); ok {
		r.suspensions(m, suspended)
	}
	r.imports(m)
	slices.SortFunc(m.Moves, func(a, b model.Move) int { return addr.Compare(a.From, b.From) })
	slices.SortFunc(m.Imports, func(a, b model.Import) int { return a.To.Compare(b.To) })
	slices.SortFunc(m.Suspensions, suspension.Compare)
	slices.SortFunc(m.Removals, func(a, b model.Removal) int { return addr.Compare(a.From, b.From) })
}

// stated returns the blocks of a kind as every instance of every module has them, and false when there
// are too many.
func (r *resolver) stated(of func(*config.Module) []*config.Statement) ([]*stated, bool) {
	var all []*stated
	for _, site := range r.all {
		for _, m := range site.instances {
			if m.standsIn {
				continue
			}
			for _, s := range of(site.config) {
				if len(all) == maxStatements {
					r.scope.fail(codeTooLarge, s.Range, "too many blocks",
						fmt.Sprintf("there can be at most %d %s blocks, each counted once for each instance of the module that it stands in", maxStatements, s.Schema.Kind), "take away those that were applied everywhere")
					return nil, false
				}
				all = append(all, &stated{Statement: s, module: m, from: within(m, s.From), to: within(m, s.To)})
			}
		}
	}
	return all, true
}

// keyed tells whether an address ends with a key.
func keyed(a addr.Address) bool {
	switch a := a.(type) {
	case addr.Object:
		_, ok := a.Key().Value()
		return ok
	case addr.Module:
		_, ok := a.Last().Key.Value()
		return ok
	}
	return false
}

// within returns what a place in a module is from the root on.
func within(m *module, p *config.Place) addr.Address {
	if p == nil {
		return nil
	}
	switch a := p.Address.(type) {
	case addr.Object:
		return a.In(a.Module().In(m.path))
	case addr.Module:
		return a.In(m.path)
	}
	return nil
}
