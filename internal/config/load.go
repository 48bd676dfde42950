package config

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Load reads every *.hcl file below dir, a path of fsys as [fs.ValidPath] has it ("." for all of
// it), as one configuration in a language, with the modules that it calls. The diagnostics are all mistakes
// that can be seen without evaluating anything. With errors among them the configuration still holds what could be
// read, so that the mistakes that only evaluation finds can be told in the same run; it must
// not be applied.
func Load(language *schema.Definition, fsys fs.FS, dir string, limits Limits) (*Config, diag.Diagnostics) {
	return newLoader(language, limits).load(fsys, dir)
}

func newLoader(definition *schema.Definition, limits Limits) *loader {
	l := &loader{
		limits:  limits,
		sources: map[string][]byte{}, tornBlocks: map[string][]*hclsyntax.Block{},
		config: &Config{Definition: definition},
		kinds:  definition.Kinds(schema.ClassResource),
	}
	l.config.sources = l.sources
	return l
}

func (l *loader) load(fsys fs.FS, dir string) (*Config, diag.Diagnostics) {
	l.config.Tree, l.config.Module = fsys, newModule(dir)
	l.modules(newOwnership(l, fsys, dir))
	if l.config.Cloud == nil && l.cloudAt == nil && !l.config.Partial && len(l.sources) > 0 {
		l.fail(codeMissingBlock, hcl.Range{}, "no cloud", "a configuration has one block that describes the cloud, and this one has none",
			`write: cloud "prod" { … }`)
	}
	l.config.Faulty = l.diags.HasErrors()
	return l.config, l.diags
}

// loader holds what decoding one configuration gathers.
type loader struct {
	limits     Limits
	sources    map[string][]byte
	config     *Config
	module     *Module  // the one whose files are being decoded
	kinds      []string // of resources
	diags      diag.Diagnostics
	bytes      int64
	blocks     int
	attributes int
	cloudAt    *diag.Range // the first cloud block, broken or not; nil when none was written
	full       bool        // too many blocks or attributes; told once

	cache  *Cache // nil without
	fresh  map[string]*kept
	dirs   []string               // whose files were listed
	now    *kept                  // the file that is being decoded; nil when nothing of it is kept
	judged bool                   // the guard was here already
	huge   map[string][]hcl.Range // numbers that are too long, by file

	relexed    int64                         // bytes that were read again behind mistakes of syntax
	tornBlocks map[string][]*hclsyntax.Block // by file: those with a mistake of syntax, up to it
	incomplete *hclsyntax.Block              // the one of these at work, which may have what it lacks

	header  *diag.Range  // of the block that is being decoded
	address addr.Address // of the same
	lookup  bool         // the block is a data block
	kind    string       // that of the block when it has an address; "" outside of blocks

	iterators []string // of the dynamic blocks that are being decoded, from the outside in
}

func (l *loader) file(body *hclsyntax.Body) {
	for _, a := range ordered(body.Attributes) {
		l.fail(codeUnknownAttribute, a.NameRange, "attribute outside of a block",
			fmt.Sprintf("%s is written at the top of the file, where only blocks can stand", a.Name),
			l.hintForStray(a.Name))
	}
	for _, block := range body.Blocks {
		l.block(block)
	}
}

// block decodes a block at the top of a file.
func (l *loader) block(b *hclsyntax.Block) {
	if b.Type == schema.DataKind {
		l.data(b)
		return
	}
	def := l.config.Definition.Block(b.Type)
	if def == nil {
		l.fail(codeUnknownBlock, b.TypeRange, "unknown kind of block",
			fmt.Sprintf("there is no block of the kind %q", b.Type), l.hintForBlock(b))
		l.miss(Nearest(b.Type, l.config.Definition.Kinds()), b.Labels)
		return
	}
	if !l.belongs(b, def) {
		return
	}
	switch def.Kind {
	case schema.ModuleKind:
		l.call(b, def)
		return
	case "output":
		l.output(b, def)
		return
	case "cloud":
		if l.cloudAt == nil {
			l.cloudAt = subject(headerRange(b))
		}
	case "locals":
		l.locals(b)
		return
	case schema.MovedKind, schema.ImportKind, schema.RemovedKind, schema.SuspendedKind:
		l.statement(b, def)
		return
	}
	labels, ok := l.labels(b, def)
	if !ok {
		l.miss(def.Kind, b.Labels)
		l.inside(b, def)
		if def.Kind == "cloud" && l.config.Cloud != nil {
			l.secondCloud(b)
		}
		return
	}
	address := l.object(addr.Managed, def.Kind, labels[len(labels)-1])
	defer l.within(b, address)()
	decoded := l.body(b, def, def.Class == schema.ClassResource)
	decoded.Labels = labels
	if def.Kind == "variable" {
		l.variable(decoded, b)
		return
	}
	decoded.Address = address
	if def.Kind == "cloud" {
		l.cloud(decoded, b)
		return
	}
	if !l.define(decoded.Address, decoded.Address.String(), headerRange(b)) {
		return
	}
	switch def.Class {
	case schema.ClassProfile:
		l.config.Profiles = append(l.config.Profiles, decoded)
	case schema.ClassNode:
		l.config.Nodes = append(l.config.Nodes, decoded)
	default:
		l.module.Resources = append(l.module.Resources, decoded)
	}
}

func (l *loader) cloud(decoded *Block, b *hclsyntax.Block) {
	if *l.cloudAt != decoded.Range {
		l.secondCloud(b)
	}
	if l.config.Cloud != nil {
		l.config.OtherClouds = append(l.config.OtherClouds, decoded)
		return
	}
	l.config.Cloud = decoded
	for _, service := range decoded.Nested("service") {
		service.Address = l.object(addr.Managed, "service", service.Label())
		if _, twice := l.module.defined[service.Address]; !twice { // told when the body was decoded
			l.module.defined[service.Address] = service.Range
		}
	}
}

func (l *loader) secondCloud(b *hclsyntax.Block) {
	name := "another one"
	if l.config.Cloud != nil {
		name = l.config.Cloud.Label()
	}
	l.fail(codeDuplicate, headerRange(b), "second cloud",
		fmt.Sprintf("a configuration describes one cloud, and %s is described at %s", name, place(*l.cloudAt)),
		"keep each cloud in a directory of its own")
}

func (l *loader) variable(decoded *Block, b *hclsyntax.Block) {
	a, err := addr.NewValue(addr.Module{}, addr.Variable, decoded.Label())
	if err == nil && l.free(b) && l.define(a, a.String(), headerRange(b)) {
		l.module.Variables = append(l.module.Variables, decoded)
	}
}

// data decodes a lookup: data "network" "public" { … }.
func (l *loader) data(b *hclsyntax.Block) {
	if len(b.Labels) != 2 {
		l.fail(codeLabel, headerRange(b), "wrong number of labels",
			fmt.Sprintf("a data block has two labels, the kind and a name, and this one has %s", plural(len(b.Labels), "label")),
			`write, for example: data "network" "public" { … }`)
		if len(b.Labels) > 0 {
			l.insideData(b)
		}
		return
	}
	def := l.config.Definition.Resource(b.Labels[0])
	if def == nil {
		l.fail(codeUnknownBlock, b.LabelRanges[0], "unknown kind of resource",
			fmt.Sprintf("there is no kind of resource named %q to look up", b.Labels[0]), OneOf(b.Labels[0], l.kinds))
		return
	}
	if def.Cluster {
		l.fail(codeUnknownBlock, b.LabelRanges[0], "not to be looked up",
			fmt.Sprintf("%s is in the cluster, and what is looked up are objects of OpenStack", Indefinite(def.Kind)), "take the block away")
		return
	}
	if !l.label(def.Kind, def.Labels[0], b.Labels[1], b.LabelRanges[1]) {
		l.insideData(b)
		return
	}
	address := l.object(addr.Data, def.Kind, b.Labels[1])
	defer l.within(b, address)()
	l.lookup = true
	decoded := l.body(b, def.DataBlock(), false)
	l.lookup = false
	decoded.Labels, decoded.Address = b.Labels, address
	if len(decoded.Attributes) == 0 && !searches(b, decoded.Schema) {
		hint := "write its name or id"
		if def.Attribute("name") == nil {
			hint = "write its id, or other attributes that it is found by"
		}
		l.fail(codeMissingAttribute, headerRange(b), "nothing to look up by",
			fmt.Sprintf("a lookup of %s needs at least one attribute to find it by", Indefinite(def.Kind)),
			hint)
	}
	if l.define(decoded.Address, decoded.Address.String(), headerRange(b)) {
		l.module.Data = append(l.module.Data, decoded)
	}
}

func (l *loader) insideData(b *hclsyntax.Block) {
	if def := l.config.Definition.Resource(b.Labels[0]); def != nil {
		l.lookup = true
		l.inside(b, def.DataBlock())
		l.lookup = false
	}
}

// searches tells whether anything is written in a data block that is meant to find its object.
func searches(b *hclsyntax.Block, def *schema.Block) bool {
	for name := range b.Body.Attributes {
		if def.Argument(name) == nil {
			return true
		}
	}
	return false
}

func (l *loader) locals(b *hclsyntax.Block) {
	if len(b.Labels) > 0 {
		l.fail(codeLabel, headerRange(b), "wrong number of labels", "a locals block has no label", "write: locals { … }")
	}
	for _, inner := range b.Body.Blocks {
		l.fail(codeUnknownBlock, inner.TypeRange, "block inside locals", fmt.Sprintf("locals holds attributes only, and %s is a block", inner.Type),
			fmt.Sprintf("to define a map, write: %s = { … }", inner.Type))
	}
	for _, a := range ordered(b.Body.Attributes) {
		address, err := addr.NewValue(addr.Module{}, addr.Local, a.Name)
		if err != nil || !l.define(address, address.String(), a.NameRange) {
			continue
		}
		l.module.Locals = append(l.module.Locals, l.attribute(a, nil))
	}
}

// object returns the address for labels that were checked. What the check let through and
// is no address all the same has no address.
func (l *loader) object(mode addr.Mode, kind, name string) addr.Object {
	a, err := addr.NewObject(addr.Module{}, mode, kind, name, addr.Key{})
	if err != nil {
		return addr.Object{}
	}
	return a
}

// within lets the diagnostics tell which block they are about, until the returned function is called.
func (l *loader) within(b *hclsyntax.Block, address addr.Object) func() {
	l.header = subject(headerRange(b))
	// The address of what is in a module depends on the call, so it is not known here.
	if b.Type != "variable" && !address.IsZero() && l.atRoot() {
		l.address = address
	}
	if !address.IsZero() {
		l.kind = address.Kind()
	}
	return func() { l.header, l.address, l.kind = nil, nil, "" }
}

// inResource tells whether the block at work is a resource, which it can be in a module as well.
func (l *loader) inResource() bool {
	return l.kind != "" && !l.lookup && l.config.Definition.Resource(l.kind) != nil
}

// define notes where something is defined and refuses to define it twice.
func (l *loader) define(a addr.Address, name string, where hcl.Range) bool {
	if first, twice := l.module.defined[a]; twice {
		l.fail(codeDuplicate, where, "defined twice", fmt.Sprintf("%s is already defined at %s", name, place(first)), "give one of them another name")
		return false
	}
	l.module.defined[a] = rangeOf(where)
	return true
}

// count keeps the number of blocks and attributes within the limits. It sees files before anything is
// made of them, so that what is beyond costs no more than its bytes.
func (l *loader) count(body *hclsyntax.Body, where hcl.Range) {
	l.attributes += len(body.Attributes)
	if !l.full && (l.blocks > l.limits.Blocks || l.attributes > l.limits.Attributes) {
		l.full = true
		l.fail(codeLimit, where, "configuration is too large",
			fmt.Sprintf("a configuration can have at most %d blocks and %d attributes", l.limits.Blocks, l.limits.Attributes), "describe objects that are alike in one block with for_each")
	}
	for _, b := range body.Blocks {
		l.blocks++
		l.count(b.Body, headerRange(b))
	}
}

// ordered returns attributes by their position, which the parser's map forgets.
func ordered(attributes hclsyntax.Attributes) []*hclsyntax.Attribute {
	list := make([]*hclsyntax.Attribute, 0, len(attributes))
	for _, a := range attributes {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *hclsyntax.Attribute) int { return a.NameRange.Start.Byte - b.NameRange.Start.Byte })
	return list
}
