package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// asked gathers what an expression wants from one call: of which instances which outputs.
type asked struct {
	call    *call
	all     bool              // every instance
	keys    map[addr.Key]bool // these instances
	whole   bool              // every output
	outputs []string          // these outputs
}

// calls adds the outputs of modules that an expression refers to. A call that is broken, or referred to in
// a way that leads nowhere, is unknown, and makes it return false.
func (s *scope) calls(a *config.Attribute, ctx *config.Context, used *uses) bool {
	var order []*asked
	var all map[*call]*asked
	var modules map[string]cty.Value
	whole := true
	lose := func(name string) {
		if whole = false; modules == nil {
			modules = map[string]cty.Value{}
		}
		modules[name] = cty.DynamicVal
	}
	for at, ref := range a.References {
		to, is := ref.Target.(addr.Module)
		if !is {
			continue
		}
		c := s.module.calls[to.Call()]
		if c == nil || c.broken || len(c.instances) == 0 && !c.repeated() || slices.Contains(s.broken[a], at) {
			lose(to.Last().Name)
			continue
		}
		q := all[c]
		if q == nil {
			if all == nil {
				all = map[*call]*asked{}
			}
			q = &asked{call: c, keys: map[addr.Key]bool{}}
			all[c] = q
			order = append(order, q)
		}
		if !s.ask(q, ref, to, ctx) {
			lose(to.Last().Name)
		}
	}
	if len(order) == 0 && whole {
		return true
	}
	for _, q := range order {
		name := q.call.site.call.Label()
		if _, lost := modules[name]; lost {
			continue
		}
		if s.tooWhole(q, a) {
			lose(name)
			continue
		}
		if modules == nil {
			modules = map[string]cty.Value{}
		}
		v, ok := s.callValue(q, used)
		modules[name], whole = v, whole && ok
	}
	ctx.Set(schema.ModuleKind, cty.ObjectVal(modules))
	return whole
}

// ask notes which instances and outputs a reference means.
func (s *scope) ask(q *asked, ref config.Reference, to addr.Module, ctx *config.Context) bool {
	if ref.Attribute == "" {
		q.whole = true
	} else if !slices.Contains(q.outputs, ref.Attribute) {
		q.outputs = append(q.outputs, ref.Attribute)
	}
	key := to.Last().Key
	if !ref.Key.IsZero() {
		key = computedKey(ref.Key, ctx)
	}
	text, keyed := key.Value()
	switch {
	case !keyed:
		q.all = true
	case q.call.byKey[key] == nil:
		s.unknownKey(ref, q.call.site.call.Name.String(), "instance", text, maps.Keys(q.call.byKey))
		return false
	default:
		q.keys[key] = true
	}
	return true
}

// maxWhole bounds how many values expressions take of modules as a whole, each counted once for each
// expression.
const maxWhole = 200_000

// tooWhole counts the values that expressions take of modules as a whole, and tells when there are
// too many: each of many expressions could take all of many outputs.
func (s *scope) tooWhole(q *asked, a *config.Attribute) bool {
	if !q.all || !q.call.repeated() && !q.whole {
		return false
	}
	if s.whole > maxWhole {
		return true // told
	}
	outputs := len(q.outputs)
	if q.whole {
		outputs = len(q.call.site.declared.outputs)
	}
	if s.whole += len(q.call.instances) * outputs; s.whole <= maxWhole {
		return false
	}
	s.wrong(codeTooLarge, a, "too many references", "whole modules are referred to more often than a configuration needs", "refer to single outputs of single instances")
	return true
}

// callValue is what the name of a call stands for. It returns false when an output is broken.
func (s *scope) callValue(q *asked, used *uses) (cty.Value, bool) {
	if !q.call.repeated() {
		return s.outputsOf(q, q.call.instances[0], used)
	}
	instances, whole := map[string]cty.Value{}, true
	for _, m := range q.call.instances {
		key := m.path.Last().Key
		if !q.all && !q.keys[key] {
			continue
		}
		v, ok := s.outputsOf(q, m, used)
		name, _ := key.Value()
		instances[name], whole = v, whole && ok
	}
	return cty.ObjectVal(instances), whole
}

// outputsOf is an object with the outputs of one instance that are wanted.
func (s *scope) outputsOf(q *asked, m *module, used *uses) (cty.Value, bool) {
	outputs, whole := map[string]cty.Value{}, true
	names := q.outputs
	if q.whole {
		names = m.site.declared.outputs
	}
	for _, name := range names {
		v, ok := s.value(m.named(addr.Output, name), used)
		outputs[name], whole = v, whole && ok
	}
	return cty.ObjectVal(outputs), whole
}

// waitsForModule are the edges to everything inside a module.
func (r *resolver) waitsForModule(ref config.Reference) []model.Edge {
	to, _ := ref.Target.(addr.Module)
	c := r.scope.module.calls[to.Call()]
	if c == nil || c.broken {
		return nil
	}
	instances := c.instances
	if key := to.Last().Key; key != (addr.Key{}) {
		m := c.byKey[key]
		if m == nil {
			text, _ := key.Value()
			r.scope.unknownKey(ref, to.Call().String(), "instance", text, maps.Keys(c.byKey))
			return nil
		}
		instances = []*module{m}
	}
	var edges []model.Edge
	for _, m := range instances {
		m.objects(func(a addr.Object) {
			if !r.tooManyWaits(ref.Range) {
				r.waited++
				edges = append(edges, model.Edge{To: a, Range: ref.Range})
			}
		})
	}
	slices.SortFunc(edges, func(a, b model.Edge) int { return a.To.Compare(b.To) })
	return edges
}

// maxWaits bounds the edges that depends_on makes: each of many objects can wait for many.
const maxWaits = 200_000

func (r *resolver) tooManyWaits(where diag.Range) bool {
	if r.waited <= maxWaits {
		return false
	}
	r.scope.add(diag.Diagnostic{
		Code: codeTooLarge, Subject: &where, Summary: "too many dependencies",
		Detail: fmt.Sprintf("depends_on can make at most %d dependencies between objects in all", maxWaits),
		Hint:   "wait for single objects, or for what they are made of, in place of whole blocks and modules",
	})
	return true
}

// exceeded tells whether there are too many objects already, which was told.
func (r *resolver) exceeded(b *block) bool {
	return r.full || b.module.site.made[b.config] > maxInstances
}

// fits counts the objects of a block, and tells when there are too many.
func (r *resolver) fits(b *block) bool {
	s := b.module.site
	if s.made == nil {
		s.made = make(map[*config.Block]int, len(s.declared.blocks))
	}
	s.made[b.config] += len(b.instances)
	if s.parent != nil || b.repeated() {
		r.objects += len(b.instances)
	}
	r.full = r.full || r.objects > maxObjects
	if !r.exceeded(b) {
		return true
	}
	if r.full {
		r.scope.fail(codeTooLarge, b.config.Range, "too many objects", fmt.Sprintf("for_each and modules can make at most %d objects, all together", maxObjects), "divide them among several configurations")
	} else {
		r.scope.fail(codeTooLarge, b.config.Range, "too many objects", fmt.Sprintf("a block can stand for at most %d objects in all instances of its module together", maxInstances), "divide them among several blocks, or among several configurations")
	}
	b.broken, b.instances = true, nil
	return false
}
