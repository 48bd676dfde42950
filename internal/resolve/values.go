package resolve

import (
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// named is a variable, a local or an output in one instance of a module, or the for_each of a call.
type named struct {
	home      *module           // the instance that it belongs to
	attribute *config.Attribute // what it is made from; nil for a variable that is not made from anything
	block     *config.Block     // of a variable or an output; nil for a local
	given     *module           // set for a variable of a module that is called, whose caller gives the value
	sensitive bool              // an output that is declared to be

	value   cty.Value // of a broken one what is known of it
	known   bool      // all of it, so it is the same at both stages
	broken  bool      // a diagnostic was given; what uses it is broken, too
	depth   int       // how many unknown values hang on each other up to here
	objects []addr.Object
	values  []*named
	leads   bool // to objects, by itself or through other values

	once  sync.Once
	alone cty.Value // the object that has only this value, once an expression needed it; see [group]
}

// uses notes what a value was made from.
func (n *named) uses(used uses) {
	n.objects, n.values = used.objects, used.values
	n.leads = len(n.objects) > 0 || slices.ContainsFunc(n.values, func(below *named) bool { return below.leads })
	if n.known {
		return
	}
	n.depth = 1
	for _, below := range n.values {
		n.depth = max(n.depth, below.depth+1)
	}
}

// maxChain bounds how deep the second stage descends.
const maxChain = 1000

// value evaluates a local, an output, or a variable of a module that is called.
func (r *resolver) value(m *module, kind addr.ValueKind, n *named) {
	if n.broken {
		return
	}
	defer r.scope.enter(m, n.block)()
	if kind == addr.Output {
		r.output(n)
	}
	if n.attribute == nil {
		n.value, n.broken = cty.DynamicVal, true // a missing value was told
		if kind == addr.Variable && n.block.Attribute("default") != nil {
			v, ok := r.variable(n.block, cty.NilVal, false, n.block.Range)
			var used uses
			ok = ok && r.validate(n.block, v, n.block.Range, &used)
			if n.known = ok && v.IsWhollyKnown(); ok {
				n.value, n.broken = v, false
				n.uses(used)
			}
		}
		return
	}
	v, used, ok := r.scope.make(n)
	if n.value = v; !ok {
		n.broken = true
		return
	}
	n.known = v.IsWhollyKnown()
	if kind == addr.Output {
		for _, e := range r.waits(n.block) {
			used.objects = append(used.objects, e.To)
		}
	}
	n.uses(used)
	if n.depth > maxChain {
		r.scope.fail(codeTooLarge, n.attribute.Range, "too many values in a row",
			"more than a thousand values are made from each other here, and none of them is known before something is created", "write some of them down, or make them in fewer steps")
		n.broken = true
	}
}

// output reads what is written about an output besides its value.
func (r *resolver) output(n *named) {
	n.sensitive = r.isSensitive(n.block)
	if a := n.block.Attribute("description"); a != nil {
		r.scope.decode(a)
	}
}

// make evaluates a value from what it is made of. Both stages come through here. The expression of
// a variable is the caller's, so it sees the names that the caller has. When it returns false, the value is
// what is known of it all the same.
func (s *scope) make(n *named) (cty.Value, uses, bool) {
	if n.given == nil {
		v, used, ok := s.elsewhere(n.home, cty.NilVal).eval(n.attribute)
		if n.sensitive {
			v = v.Mark(model.Sensitive)
		}
		return v, used, ok
	}
	each, ok := s.eachOf(n.given)
	if !ok {
		return cty.DynamicVal, uses{}, false
	}
	caller := s.elsewhere(n.given.parent, each)
	caller.block = n.given.site.call.Block
	if n.given.each != cty.NilVal && !n.given.each.IsWhollyKnown() {
		caller.eachFrom = n.given.parent.calls[n.given.site.call.Name].forEach
	}
	v, used, whole := caller.eval(n.attribute)
	r := &resolver{Evaluator: s.e, scope: s.elsewhere(n.home, cty.NilVal)}
	r.scope.given = n.attribute
	where := shownRange(n.attribute, v.ContainsMarked() || r.isSensitive(n.block))
	if v, ok = r.variable(n.block, v, true, where); ok {
		ok = r.validate(n.block, v, where, &used)
	}
	if !ok {
		v = cty.DynamicVal // what it is would be wrong again wherever it is used
	}
	return v, used, whole && ok
}

// elsewhere is the same pass of evaluation in another module, with another each.
func (s *scope) elsewhere(m *module, each cty.Value) *scope {
	inner := *s
	inner.each, inner.eachFrom, inner.given = each, nil, nil
	if inner.module != m {
		inner.block = nil
	}
	inner.module, inner.path = m, m.path
	if m != s.module {
		inner.functions, inner.templateFunctions, inner.settingFunctions = nil, nil, nil // they know the module
	} else {
		inner.functions = s.toolbox() // made once for all of these, as it costs more than most expressions
	}
	return &inner
}
