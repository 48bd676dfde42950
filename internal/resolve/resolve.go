package resolve

import (
	"iter"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Evaluator holds an evaluated configuration. It is not changed after [Resolve], and its methods
// are safe for concurrent use.
type Evaluator struct {
	config     *config.Config
	definition *schema.Definition
	functions  map[string]function.Function
	layering   map[string]function.Function // for settings that are merged over others
	files      *files                       // of the first stage
	types      map[string]cty.Type          // by kind: what a reference to an object of it sees
	kinds      map[string]kind              // of managed resources
	lookups    map[string]kind              // of data
	root       *module
	modules    map[addr.Module]*module // all instances, the root included
}

// kind is a schema's block with the types that follow from it.
type kind struct {
	schema  *schema.Block
	desired cty.Type
	object  cty.Type
	unknown map[string]cty.Value // of the object's attributes
	nulls   map[*schema.Attribute]cty.Value
}

func kindOf(b *schema.Block, object cty.Type) kind {
	k := kind{schema: b, desired: b.DesiredType(), object: object, unknown: map[string]cty.Value{}, nulls: map[*schema.Attribute]cty.Value{}}
	for name, t := range object.AttributeTypes() {
		k.unknown[name] = cty.UnknownVal(t)
	}
	for i := range b.Attributes {
		k.nulls[&b.Attributes[i]] = cty.NullVal(b.Attributes[i].Type.WithoutOptionalAttributesDeep())
	}
	return k
}

// block is a resource, data or profile.
type block struct {
	config    *config.Block
	module    *module
	address   addr.Object // with the path of the module
	kind      kind
	forEach   *named                 // nil unless there are values in it that are not known
	instances []*instance            // by key
	only      *instance              // the one without key; nil with for_each
	byKey     map[addr.Key]*instance // nil without for_each
	whole     cty.Value              // what a reference to all of it sees at the first stage
	broken    bool
}

// repeated tells whether the block stands for one object by each key.
func (b *block) repeated() bool { return b.config.ForEach != nil }

// at returns the object with a key, or without; nil when there is none.
func (b *block) at(key addr.Key) *instance {
	if b.repeated() || key != (addr.Key{}) {
		return b.byKey[key]
	}
	return b.only
}

// keys yields the keys of its objects; that of the only one without for_each is empty.
func (b *block) keys() iter.Seq[addr.Key] {
	return func(yield func(addr.Key) bool) {
		if b.only != nil && !yield(addr.Key{}) {
			return
		}
		for key := range b.byKey {
			if !yield(key) {
				return
			}
		}
	}
}

// instance is one object of a block.
type instance struct {
	block    *block
	address  addr.Object
	each     cty.Value // each.value; cty.NilVal without for_each
	once     sync.Once
	object   cty.Value // made once, by seen; cty.NilVal until then
	resource model.Resource
}

// Resolve evaluates a configuration with the given values of its variables. The diagnostics are
// all mistakes that could be found; with an error among them there is no model and no evaluator.
// Nor is there one for a configuration in which [config.Load] found errors: resolving it tells the
// other mistakes in the same run.
func Resolve(cfg *config.Config, variables map[string]cty.Value) (*model.Model, *Evaluator, diag.Diagnostics) {
	m, e, diags := Parts(cfg, variables)
	if cfg.Faulty || diags.HasErrors() {
		return nil, nil, diags
	}
	return m, e, diags
}

// Parts does what [Resolve] does, and with errors it returns what there is besides them: to look for
// mistakes of other kinds in the same run, and for nothing else. What has a mistake is missing in that
// model, or has only some of what is written.
func Parts(cfg *config.Config, variables map[string]cty.Value) (*model.Model, *Evaluator, diag.Diagnostics) {
	e := newEvaluator(cfg)
	r := &resolver{Evaluator: e, broken: map[*config.Attribute][]int{}}
	r.scope = &scope{e: e, findings: &findings{told: map[told]*saying{}}, budget: config.NewBudget(config.DefaultCosts()), files: newFiles(cfg, nil), broken: r.broken}
	root := r.sites()
	e.root = r.instantiate(root, addr.Module{})
	r.scope.module = e.root
	r.declareProfiles()
	r.check()
	order := r.order()
	r.variables(variables)
	for _, n := range order {
		r.evaluate(n)
	}
	r.lookOverCircles(order)
	r.lookOverCalls()
	r.scope.module = e.root
	m := r.model()
	r.takenNames(m)
	r.takenVolumes(m)
	r.overlaps(m)
	r.soleUses(m)
	r.statements(m)
	if cfg.Faulty || r.scope.diags.HasErrors() {
		// What seems to be missing as a whole may be among what could not be read.
		r.scope.diags.Append(m.CheckParts()...)
	} else {
		r.scope.diags.Append(m.Check()...)
	}
	e.files = r.scope.files
	return m, e, r.scope.diags
}

func newEvaluator(cfg *config.Config) *Evaluator {
	e := &Evaluator{
		config: cfg, definition: cfg.Definition, functions: functions(),
		types: map[string]cty.Type{}, kinds: map[string]kind{}, lookups: map[string]kind{},
		modules: map[addr.Module]*module{},
	}
	e.layering = layering(e.functions)
	for _, name := range cfg.Definition.Kinds(schema.ClassResource) {
		b := cfg.Definition.Resource(name)
		object := b.ObjectType()
		e.types[name] = object
		e.kinds[name] = kindOf(b, object)
		if !b.Cluster {
			e.lookups[name] = kindOf(b.DataBlock(), object)
		}
	}
	e.types[profileKind] = cty.Object(map[string]cty.Type{"name": cty.String})
	return e
}

const profileKind = "profile"

// resolver is the first stage.
type resolver struct {
	*Evaluator
	scope *scope
	// broken are, by attribute, the numbers of the references that lead nowhere, which was told.
	broken   map[*config.Attribute][]int
	all      []*site // every site before those that are called from it
	current  *site   // whose references are being checked
	circular map[node]bool
	parts    int    // what is declared in all instances of modules
	objects  int    // made so far
	waited   int    // edges of depends_on, made so far
	imported int    // objects of import blocks with for_each, so far
	compared int    // names that missing ones were compared with
	full     bool   // there are too many instances of modules, or too many objects
	stoodIn  *again // values with placeholders for those of Secrets
	pools    map[addr.Object]*pool
	awaited  []awaited
}

// declareProfiles makes an entry for every profile.
func (r *resolver) declareProfiles() {
	root := r.root
	for _, b := range r.config.Profiles {
		root.site.declared.blocks[b.Address] = b
		root.blocks[b.Address] = &block{
			config: b, module: root, address: b.Address,
			whole: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(b.Label())}),
		}
	}
}

// target is the entry that a reference leads to: a value, or a block or call without key.
func target(ref config.Reference) addr.Address {
	switch to := ref.Target.(type) {
	case addr.Object:
		return to.Block()
	case addr.Module:
		return to.Call()
	default:
		return ref.Target
	}
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

// model puts together what was evaluated.
func (r *resolver) model() *model.Model {
	m := &model.Model{Language: r.definition, Variables: map[string]cty.Value{}}
	for a, n := range r.root.values {
		if a.Kind() == addr.Variable && n.value != cty.NilVal {
			m.Variables[a.Name()] = n.value
		}
	}
	layers := r.settings(m)
	r.nodes(m, layers)
	r.idle(m, layers)
	r.unused(m)
	all := make([]*instance, 0, len(r.root.blocks)) // or more, where something stands for several
	r.lookUps()
	for _, inner := range r.modules {
		if inner.standsIn {
			continue
		}
		for _, entry := range inner.site.declared.entries { // in order, which leaves little to sort
			if a, is := entry.(addr.Object); is && !inner.blocks[a].broken {
				all = append(all, inner.blocks[a].instances...)
			}
		}
	}
	slices.SortFunc(all, func(a, b *instance) int { return a.address.Compare(b.address) })
	m.Resources = make([]model.Resource, len(all))
	for k, i := range all {
		i.resource.Edges = r.withPools(i.resource.Edges)
		m.Resources[k] = i.resource
	}
	return m
}
