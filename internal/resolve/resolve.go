package resolve

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/graph"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Evaluator holds an evaluated configuration. It is not changed after [Resolve], and its methods
// are safe for concurrent use.
type Evaluator struct {
	config     *config.Config
	definition *schema.Definition
	functions  map[string]function.Function
	types      map[string]cty.Type // by kind: what a reference to an object of it sees
	kinds      map[string]kind     // of managed resources
	lookups    map[string]kind     // of data
	values     map[addr.Value]*named
	blocks     map[addr.Object]*block
}

// kind is a schema's block with the types that follow from it.
type kind struct {
	schema  *schema.Block
	desired cty.Type
	object  cty.Type
}

// named is a variable or a local.
type named struct {
	attribute *config.Attribute // nil for a variable
	value     cty.Value
	known     bool // all of it, so it is the same at both stages
	broken    bool // a diagnostic was given; what uses it is broken, too
	depth     int  // how many unknown locals hang on each other up to here
	objects   []addr.Object
	locals    []addr.Value
	leads     bool // to objects, by itself or through other locals
}

// block is a resource, data or profile.
type block struct {
	config    *config.Block
	address   addr.Object
	kind      kind
	instances []*instance // by key
	byKey     map[addr.Key]*instance
	whole     cty.Value // what a reference to all of it sees at the first stage
	broken    bool
}

// repeated tells whether the block stands for one object by each key.
func (b *block) repeated() bool { return b.config.ForEach != nil }

// instance is one object of a block.
type instance struct {
	block    *block
	address  addr.Object
	each     cty.Value // each.value; cty.NilVal without for_each
	object   cty.Value // what a reference to it sees at the first stage
	resource model.Resource
}

// Resolve evaluates a configuration with the given values of its variables. The diagnostics are
// all mistakes that could be found; with an error among them there is no model and no evaluator.
// Nor is there one for a configuration in which [config.Load] found errors: resolving it tells the
// other mistakes in the same run.
func Resolve(cfg *config.Config, variables map[string]cty.Value) (*model.Model, *Evaluator, diag.Diagnostics) {
	e := newEvaluator(cfg)
	r := &resolver{Evaluator: e, broken: map[*config.Attribute]bool{}}
	r.scope = &scope{e: e, budget: config.NewBudget(config.DefaultCosts()), broken: r.broken, told: map[told]bool{}}
	r.index()
	r.check()
	order := r.order()
	r.variables(variables)
	for _, a := range order {
		switch a := a.(type) {
		case addr.Value:
			r.local(a)
		case addr.Object:
			r.block(e.blocks[a])
		}
	}
	m := r.model()
	if cfg.Faulty || r.scope.diags.HasErrors() {
		// What seems to be missing as a whole may be among what could not be read.
		r.scope.diags.Append(m.CheckParts(e.definition)...)
	} else {
		r.scope.diags.Append(m.Check(e.definition)...)
	}
	if cfg.Faulty || r.scope.diags.HasErrors() {
		return nil, nil, r.scope.diags
	}
	return m, e, r.scope.diags
}

func newEvaluator(cfg *config.Config) *Evaluator {
	e := &Evaluator{
		config: cfg, definition: cfg.Definition, functions: functions(),
		types: map[string]cty.Type{}, kinds: map[string]kind{}, lookups: map[string]kind{},
		values: map[addr.Value]*named{}, blocks: map[addr.Object]*block{},
	}
	for _, name := range cfg.Definition.Kinds(schema.ClassResource) {
		b := cfg.Definition.Resource(name)
		object := b.ObjectType()
		e.types[name] = object
		e.kinds[name] = kind{schema: b, desired: b.DesiredType(), object: object}
		data := b.DataBlock()
		e.lookups[name] = kind{schema: data, desired: data.DesiredType(), object: object}
	}
	e.types[profileKind] = cty.Object(map[string]cty.Type{"name": cty.String})
	return e
}

const profileKind = "profile"

// resolver is the first stage.
type resolver struct {
	*Evaluator
	scope *scope
	// broken are the attributes about which a diagnostic was given.
	broken map[*config.Attribute]bool
}

// index makes an entry for everything that can be referred to.
func (r *resolver) index() {
	for _, v := range r.config.Variables {
		if a, err := addr.NewValue(addr.Module{}, addr.Variable, v.Label()); err == nil {
			r.values[a] = &named{value: cty.DynamicVal}
		}
	}
	for _, l := range r.config.Locals {
		if a, err := addr.NewValue(addr.Module{}, addr.Local, l.Name); err == nil {
			r.values[a] = &named{attribute: l, value: cty.DynamicVal}
		}
	}
	for _, b := range r.config.Profiles {
		r.blocks[b.Address] = &block{
			config: b, address: b.Address,
			whole: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(b.Label())}),
		}
	}
	for _, b := range r.config.Resources {
		r.blocks[b.Address] = &block{config: b, address: b.Address, kind: r.kinds[b.Address.Kind()], whole: cty.DynamicVal}
	}
	for _, b := range r.config.Data {
		r.blocks[b.Address] = &block{config: b, address: b.Address, kind: r.lookups[b.Address.Kind()], whole: cty.DynamicVal}
	}
}

// order returns locals, profiles and resources so that each comes after what it refers to. What is
// part of a cycle is reported and taken for broken.
func (r *resolver) order() []addr.Address {
	g := graph.New[addr.Address, diag.Range](addr.Compare)
	connect := func(from addr.Address, references []config.Reference) {
		for _, ref := range references {
			to := target(ref)
			if v, ok := to.(addr.Value); to == nil || ok && v.Kind() == addr.Variable || !r.exists(to) {
				continue
			}
			g.Connect(from, to, ref.Range)
		}
	}
	for a, n := range r.values {
		if n.attribute != nil {
			g.Add(a)
			connect(a, n.attribute.References)
		}
	}
	for a, b := range r.blocks {
		g.Add(a)
		everyAttribute(b.config, func(attribute *config.Attribute) { connect(a, attribute.References) })
		connect(a, b.config.DependsOn)
	}
	order, err := g.Order()
	if err == nil {
		return order
	}
	inCycle := map[addr.Address]bool{}
	for _, cycle := range g.Cycles() {
		r.cycle(g, cycle)
		for _, a := range cycle {
			inCycle[a] = true
			r.breakIt(a)
		}
	}
	order, err = g.Filter(func(edge graph.Edge[addr.Address, diag.Range]) bool { return !inCycle[edge.From] }).Order()
	if err != nil {
		return nil // knots beyond counting; the cycles that were found are reported
	}
	return order
}

// exists tells whether an address is one that has an entry.
func (r *resolver) exists(a addr.Address) bool {
	switch a := a.(type) {
	case addr.Value:
		return r.values[a] != nil
	case addr.Object:
		return r.blocks[a] != nil
	}
	return false
}

func (r *resolver) breakIt(a addr.Address) {
	switch a := a.(type) {
	case addr.Value:
		r.values[a].broken = true
	case addr.Object:
		r.blocks[a].broken = true
	}
}

// target is the entry that a reference leads to: a value, or a block without key.
func target(ref config.Reference) addr.Address {
	if o, ok := ref.Object(); ok {
		return o.Block()
	}
	return ref.Target
}

// everyAttribute calls visit for all attributes of a block that are evaluated, inner blocks and the
// language's own arguments included.
func everyAttribute(b *config.Block, visit func(*config.Attribute)) {
	for _, a := range b.Attributes {
		visit(a)
	}
	if b.ForEach != nil {
		visit(b.ForEach)
	}
	if b.Lifecycle != nil {
		everyAttribute(b.Lifecycle, visit)
	}
	for _, inner := range b.Blocks {
		everyAttribute(inner, visit)
	}
}

// local evaluates a local.
func (r *resolver) local(a addr.Value) {
	n := r.values[a]
	if n.broken {
		return
	}
	v, used, ok := r.scope.eval(n.attribute)
	if !ok {
		n.broken = true
		return
	}
	n.value, n.known = v, v.IsWhollyKnown()
	n.objects, n.locals = used.objects, used.locals
	n.leads = len(n.objects) > 0 || slices.ContainsFunc(n.locals, func(below addr.Value) bool { return r.values[below].leads })
	if n.known {
		return
	}
	n.depth = 1
	for _, below := range n.locals {
		n.depth = max(n.depth, r.values[below].depth+1)
	}
	if n.depth > maxChain {
		r.scope.fail(codeTooLarge, n.attribute.Range, "too many locals in a row",
			"more than a thousand locals are made from each other here, and none of them is known before something is created", "")
		n.broken = true
	}
}

// maxChain bounds how deep the second stage descends.
const maxChain = 1000

// model puts together what was evaluated.
func (r *resolver) model() *model.Model {
	m := &model.Model{}
	layers := r.settings(m)
	r.nodes(m, layers)
	for _, b := range r.blocks {
		if b.broken {
			continue
		}
		for _, i := range b.instances {
			m.Resources = append(m.Resources, i.resource)
		}
	}
	slices.SortFunc(m.Resources, func(a, b model.Resource) int { return a.Address.Compare(b.Address) })
	return m
}
