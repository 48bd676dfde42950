package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Module is what the files of one directory say. It is decoded once, however often it is called,
// so its addresses are those within the module.
type Module struct {
	Dir       string // as a path of the tree
	Resources []*Block
	Data      []*Block
	Variables []*Block
	Locals    []*Attribute
	Outputs   []*Block
	Calls     []*Call
	Moved     []*Statement
	Imports   []*Statement // of the root alone
	Removed   []*Statement
	Suspended []*Statement

	// Repeated says that a call on some way from the root to here has for_each, so that every
	// resource stands for several objects.
	Repeated bool

	defined map[addr.Address]diag.Range
	missed  map[addr.Address]bool // see [Module.Missed]
}

func newModule(dir string) Module {
	return Module{Dir: dir, defined: map[addr.Address]diag.Range{}, missed: map[addr.Address]bool{}}
}

// Defined returns where an address without key is defined in the module, and whether it is.
func (m *Module) Defined(a addr.Address) (diag.Range, bool) {
	r, ok := m.defined[a]
	return r, ok
}

// Missed tells whether an address without key would be defined if it were not for a mistake, such as a
// kind that is misspelt. That was told, so a reference to it needs no telling.
func (m *Module) Missed(a addr.Address) bool { return m.missed[a] }

// miss notes what a block would have defined that is left out.
func (l *loader) miss(kind string, labels []string) {
	for _, label := range labels {
		if o := l.object(addr.Managed, kind, label); !o.IsZero() {
			l.module.missed[o] = true
		}
	}
}

// Call is a block that calls a module. Its attributes are the inputs.
type Call struct {
	*Block
	Name addr.Module // within the caller, without key
	// Module is what is called; nil when it cannot be, which was told.
	Module *Module

	source *hclsyntax.Attribute // nil when it was not written
}

// atRoot tells whether the files that are being decoded are those of the root.
func (l *loader) atRoot() bool { return l.module == &l.config.Module }

// belongs tells whether a block may stand in the module at work.
func (l *loader) belongs(b *hclsyntax.Block, def *schema.Block) bool {
	if l.atRoot() {
		if def.Kind != "output" {
			return true
		}
		l.fail(codeModule, headerRange(b), "output at the root",
			"an output hands a value to the caller of a module, and nobody calls the root of a configuration",
			"take it away; what others need from a resource is in the report, and a name for a value is a local")
		return false
	}
	switch def.Kind {
	case "variable", "locals", "output", schema.ModuleKind, schema.MovedKind, schema.RemovedKind, schema.SuspendedKind:
		return true
	}
	if def.Class == schema.ClassResource {
		return true
	}
	hint := "move the block to a file of the root; a module has variables, locals, resources, data, outputs and calls of other modules"
	if def.Kind == schema.ImportKind {
		hint = "move the block to a file of the root, and name the resource from there: to = module.<label>.<kind>.<label>"
	}
	l.fail(codeModule, headerRange(b), "block in a module",
		fmt.Sprintf("%s can be written only at the root of a configuration, and this file belongs to the module %s", Indefinite(def.Kind), l.module.Dir), hint)
	return false
}

// free refuses variables that could not be given a value, as the call of a module has an argument
// of that name.
func (l *loader) free(b *hclsyntax.Block) bool {
	name := b.Labels[0]
	if l.config.Definition.Block(schema.ModuleKind).Attribute(name) == nil {
		return true
	}
	l.fail(codeLabel, b.LabelRanges[0], "reserved name",
		fmt.Sprintf("%s is an argument of every module block, so no variable can have this name", name), "give the variable another name")
	return false
}

func (l *loader) output(b *hclsyntax.Block, def *schema.Block) {
	labels, ok := l.labels(b, def)
	if !ok {
		l.inside(b, def)
		return
	}
	defer l.within(b, addr.Object{})()
	decoded := l.body(b, def, false)
	decoded.Labels = labels
	a, err := addr.NewValue(addr.Module{}, addr.Output, decoded.Label())
	if err == nil && l.define(a, a.String(), headerRange(b)) {
		l.module.Outputs = append(l.module.Outputs, decoded)
	}
}

// call decodes the call of a module: module "edge" { source = "./modules/edge" … }.
func (l *loader) call(b *hclsyntax.Block, def *schema.Block) {
	labels, ok := l.labels(b, def)
	defer l.within(b, addr.Object{})()
	call := &Call{
		Block:  &Block{Schema: def, Labels: labels, Range: rangeOf(headerRange(b))},
		source: b.Body.Attributes["source"],
	}
	for _, a := range ordered(b.Body.Attributes) {
		switch a.Name {
		case "source":
		case "for_each":
			call.ForEach = l.attribute(a, def.Attribute(a.Name))
		case "depends_on":
			call.DependsOn = l.dependsOn(a)
		default:
			call.Attributes = append(call.Attributes, l.attribute(a, nil))
		}
	}
	for _, inner := range b.Body.Blocks {
		l.fail(codeUnknownBlock, inner.TypeRange, "block inside module", fmt.Sprintf("a module block holds attributes only, and %s is a block", inner.Type),
			fmt.Sprintf("to give the variable %s a value, write: %s = …", inner.Type, inner.Type))
	}
	if l.missing(b, def, call.Block); !ok {
		return
	}
	var err error
	if call.Name, err = (addr.Module{}).Child(call.Label(), addr.Key{}); err == nil && l.define(call.Name, call.Name.String(), headerRange(b)) {
		l.module.Calls = append(l.module.Calls, call)
	}
}

// moduleReference reads module.edge["fra"].name.
func (l *loader) moduleReference(r Reference, t hcl.Traversal) (Reference, bool) {
	name, ok := attributeStep(t, 1)
	if !ok {
		l.fail(codeReference, t.SourceRange(), "incomplete reference", "module alone names nothing", "write the label of the module block and an output after it: module.<label>.<output>")
		return r, false
	}
	module, err := addr.Module{}.Child(name, addr.Key{})
	if err != nil {
		l.fail(codeReference, t.SourceRange(), "invalid reference", fmt.Sprintf("this is no address: %v", err), "write the label of the module block and an output after it: module.<label>.<output>")
		return r, false
	}
	key, rest, ok := l.key(t, 2, module)
	if _, keyed := key.Value(); keyed {
		module, err = addr.Module{}.Child(name, key)
	}
	r.Target, r.Attribute = module, firstAttribute(rest)
	return r, ok && err == nil
}

// literal returns the text of an expression that is nothing but a text in quotes.
func literal(e hclsyntax.Expression) (string, bool) {
	template, ok := e.(*hclsyntax.TemplateExpr)
	if !ok || !template.IsStringLiteral() {
		return "", false
	}
	v, diags := template.Value(nil)
	if diags.HasErrors() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}
