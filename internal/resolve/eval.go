package resolve

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// scope is where expressions are evaluated: a module, in one pass of evaluation, which is the first
// stage as a whole, or one resource at the second.
type scope struct {
	*findings

	e        *Evaluator
	module   *module     // whose names expressions see
	path     addr.Module // of that module, also before there is one
	anywhere bool        // in a module with several paths, so that diagnostics name none
	budget   *config.Budget
	files    *files
	broken   map[*config.Attribute][]int // references that lead nowhere, which was told; nil later on
	each     cty.Value                   // the object with key and value; cty.NilVal outside of for_each
	eachFrom *named                      // what each.value is made from, where it is not known
	// partly says that parts of each or of an iterator are unknown because of a mistake: what is not known
	// in time is not told.
	partly bool

	given *config.Attribute // what the caller of a module gives to the variable at work; nil otherwise

	iterators      map[string]cty.Value // the elements of dynamic blocks at work, by their names
	contents       int                  // how many blocks dynamic ones made
	contentsBefore int                  // before the object at work
	crowded        bool                 // there are too many of them in that object, which was told
	crowdedInAll   bool                 // there are too many of them in all objects, which was told

	made *config.Made // gathers the blocks that are made; nil where nobody asks

	late    bool // the second stage
	outputs map[addr.Object]cty.Value
	again   *again
	reveal  func(model.SecretRef) cty.Value // the value of a Secret, unknown where it is not known; nil: none is

	functions         map[string]function.Function // see toolbox
	templateFunctions map[string]function.Function // the same within templates
	settingFunctions  map[string]function.Function // the same within settings that are laid over others

	block *config.Block // the one at work, for diagnostics; nil outside of blocks
}

// findings is what one pass of evaluation gathers, in whatever module it is.
type findings struct {
	diags  diag.Diagnostics
	told   map[told]*saying
	effort int // steps taken to find edges
	// disclosed tells that the expression at work saw a secret that no value which it names bears the mark of.
	disclosed bool
	whole     int                  // values taken of modules as a whole
	spare     map[string]cty.Value // for the variables of the next expression; nil while one is evaluated
	desired   map[string]cty.Value // for the values of the next object
}

// again is what the second stage evaluated with outputs.
type again struct {
	values map[*named]cty.Value
}

// uses is what an expression referred to.
type uses struct {
	objects []addr.Object // with keys where the block has them
	values  []*named
}

// eval returns the value of an expression. It returns false when there is none, after the reason
// was told, here or where the expression refers to. What it returns then is the value as far as it is
// known all the same, to look for other mistakes, and for nothing else.
func (s *scope) eval(a *config.Attribute) (cty.Value, uses, bool) {
	if a.Broken && len(a.Strays) == 0 {
		return cty.DynamicVal, uses{}, false
	}
	if len(s.broken[a]) == 0 {
		s.budget.Begin()
		if v, used, ok := s.filled(a); ok && s.budget.Charge(v, true) {
			_ = s.budget.End() // it was not spent
			return v, used, true
		}
		_ = s.budget.End() // whatever is wrong is told below
	}
	s.budget.Begin()
	variables := s.spare // nobody has a context any more once its expression was evaluated
	s.spare = nil
	if variables == nil {
		variables = map[string]cty.Value{}
	}
	defer func() {
		clear(variables)
		s.spare = variables
	}()
	ctx, used, whole := s.context(a, variables)
	s.disclosed = false
	v, faults := a.Expr.Value(ctx)
	if len(faults) == 0 {
		s.budget.Charge(v, true)
	}
	if err := s.budget.End(); err != nil {
		if whole { // else it may be too large because of what is broken
			s.wrong(codeTooLarge, a, "expression is too large",
				"it was stopped, because its value, or what it takes to compute it, is far beyond what a configuration needs", hintTooLarge)
		}
		return cty.DynamicVal, used, false
	}
	if !whole || len(faults) > 0 {
		faults = append(faults, s.unreached(a, ctx, faults)...)
	}
	if len(faults) > 0 {
		s.evaluation(faults, a, ctx.Marked() || s.disclosed, whole)
		return s.affordable(a.Expr.Sound(v, faults)), used, false
	}
	return v, used, whole
}

// affordable is a value that others may be made from, or an unknown one in the place of one that is far too
// large for that.
func (s *scope) affordable(v cty.Value) cty.Value {
	s.budget.Begin()
	s.budget.Charge(v, true)
	if s.budget.End() != nil {
		return cty.DynamicVal
	}
	return v
}

// unreached returns the faults that a mistake in an expression hides; none when it takes too much to look.
func (s *scope) unreached(a *config.Attribute, ctx *config.Context, faults config.Faults) config.Faults {
	s.budget.Begin()
	more := a.Expr.Unreached(ctx, faults)
	if exceeded := s.budget.End(); exceeded == nil {
		return more
	}
	return nil
}

// context makes exactly those values visible that an expression refers to, in a map that is empty. It
// returns false when some of them are broken, which was told; these are unknown.
func (s *scope) context(a *config.Attribute, visible map[string]cty.Value) (*config.Context, uses, bool) {
	var functions map[string]function.Function
	switch { // at the second stage each object has its own, which cost more than most expressions
	case a.Plain:
	case layered(a):
		functions = s.toolboxOfSettings()
	default:
		functions = s.toolbox()
	}
	ctx := config.NewContext(visible, functions, s.budget)
	var used uses
	whole := !a.Broken
	if len(a.References) == 0 && whole {
		return ctx, used, true
	}
	var variables, locals group
	for _, ref := range a.References {
		value, is := ref.Target.(addr.Value)
		switch {
		case ref.Path:
			ctx.Set("path", s.paths())
		case ref.Iterator != "":
			element, there := s.iterators[ref.Iterator]
			if !there {
				element, whole = cty.DynamicVal, false // what the block is repeated for is broken
			}
			ctx.Set(ref.Iterator, element)
		case ref.Target == nil:
			whole = s.seesEach(ref, ctx, &used) && whole
		case is:
			n := s.module.values[value]
			v, ok := s.value(n, &used)
			if whole = whole && ok; n == nil {
				n = &named{}
			}
			if value.Kind() == addr.Variable {
				variables.put(n, value.Name(), v)
			} else {
				locals.put(n, value.Name(), v)
			}
		}
	}
	if variables.first != nil {
		ctx.Set("var", variables.object())
	}
	if locals.first != nil {
		ctx.Set("local", locals.object())
	}
	whole = s.calls(a, ctx, &used) && whole
	whole = s.objects(a, ctx, &used) && whole
	for _, name := range a.Strays {
		ctx.Set(name, cty.DynamicVal)
	}
	return ctx, used, whole
}

// seesEach makes each visible. Without one it is unknown: there is none, or for_each is broken.
func (s *scope) seesEach(ref config.Reference, ctx *config.Context, used *uses) bool {
	if s.each == cty.NilVal {
		ctx.Set("each", cty.DynamicVal)
		return false
	}
	ctx.Set("each", s.each)
	if s.eachFrom != nil && ref.Attribute == "value" {
		used.values = append(used.values, s.eachFrom)
	}
	return true
}

// paths are the directories that path.module and path.root name, as paths from the directory of the
// configuration, where those that functions take begin.
func (s *scope) paths() cty.Value {
	module := wayTo(s.e.config.Dir, s.module.site.config.Dir)
	return cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal(module), "root": cty.StringVal(".")})
}

// value returns a named value: at the second stage with outputs, where they matter. It returns false for
// one that is broken, with what is known of it.
func (s *scope) value(n *named, used *uses) (cty.Value, bool) {
	switch {
	case n == nil:
		return cty.DynamicVal, false
	case n.broken:
		return n.value, false
	}
	if n.leads || !n.known {
		used.values = append(used.values, n)
	}
	if n.known || !s.late {
		return n.value, true
	}
	if v, ok := s.again.values[n]; ok {
		return v, true
	}
	inner := *s // with a budget of its own, as that of the outer expression has begun
	inner.budget = config.NewBudget(config.DefaultCosts())
	inner.functions, inner.templateFunctions, inner.settingFunctions = nil, nil, nil // they charge the budget
	v, _, ok := inner.make(n)
	if ok {
		s.again.values[n] = v
	}
	return v, ok
}
