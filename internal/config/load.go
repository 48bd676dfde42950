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
// it), as one configuration. The diagnostics are all mistakes that can be seen without
// evaluating anything. With errors among them the configuration still holds what could be
// read, so that the mistakes that only evaluation finds can be told in the same run; it must
// not be applied.
func Load(fsys fs.FS, dir string, limits Limits) (*Config, diag.Diagnostics) {
	definition := schema.New()
	l := &loader{
		limits:  limits,
		sources: map[string][]byte{},
		config:  &Config{Definition: definition, defined: map[addr.Address]diag.Range{}},
		kinds:   definition.Kinds(schema.ClassResource),
	}
	l.config.sources = l.sources
	for _, name := range l.files(fsys, dir) {
		if len(l.diags) > limits.Errors {
			l.config.Partial = true // the rest would be left out anyway
			break
		}
		if body := l.parse(fsys, name); body != nil {
			l.file(body)
		} else {
			l.config.Partial = true
		}
	}
	if l.config.Cloud == nil && !l.hasCloud && !l.config.Partial && len(l.sources) > 0 {
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
	kinds      []string // of resources
	diags      diag.Diagnostics
	bytes      int64
	blocks     int
	attributes int
	hasCloud   bool // a cloud block was written, broken or not
	full       bool // too many blocks or attributes; told once

	header  *diag.Range  // of the block that is being decoded
	address addr.Address // of the same
	lookup  bool         // the block is a data block
}

func (l *loader) file(body *hclsyntax.Body) {
	for _, a := range ordered(body.Attributes) {
		l.fail(codeUnknownAttribute, a.NameRange, "attribute outside of a block",
			fmt.Sprintf("%s is written at the top of the file, where only blocks can stand", a.Name),
			"to give a value a name, write it in a locals block")
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
			fmt.Sprintf("there is no block of the kind %q", b.Type), l.hintForBlock(b.Type))
		return
	}
	switch def.Kind {
	case "cloud":
		l.hasCloud = true
	case "locals":
		l.locals(b)
		return
	}
	labels, ok := l.labels(b, def)
	if !ok {
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
		l.config.Resources = append(l.config.Resources, decoded)
	}
}

func (l *loader) cloud(decoded *Block, b *hclsyntax.Block) {
	if first := l.config.Cloud; first != nil {
		l.fail(codeDuplicate, headerRange(b), "second cloud",
			fmt.Sprintf("a configuration describes one cloud, and %s is described at %s", first.Label(), place(first.Range)),
			"keep each cloud in a directory of its own")
		return
	}
	l.config.Cloud = decoded
	for _, service := range decoded.Nested("service") {
		service.Address = l.object(addr.Managed, "service", service.Label())
		if _, twice := l.config.defined[service.Address]; !twice { // told when the body was decoded
			l.config.defined[service.Address] = service.Range
		}
	}
}

func (l *loader) variable(decoded *Block, b *hclsyntax.Block) {
	a, err := addr.NewValue(addr.Module{}, addr.Variable, decoded.Label())
	if err == nil && l.define(a, a.String(), headerRange(b)) {
		l.config.Variables = append(l.config.Variables, decoded)
	}
}

// data decodes a lookup: data "network" "public" { … }.
func (l *loader) data(b *hclsyntax.Block) {
	if len(b.Labels) != 2 {
		l.fail(codeLabel, headerRange(b), "wrong number of labels",
			fmt.Sprintf("a data block has two labels, the kind and a name, and this one has %d", len(b.Labels)),
			`write, for example: data "network" "public" { … }`)
		return
	}
	def := l.config.Definition.Resource(b.Labels[0])
	if def == nil {
		l.fail(codeUnknownBlock, b.LabelRanges[0], "unknown kind of resource",
			fmt.Sprintf("there is no kind of resource named %q to look up", b.Labels[0]), nearest(b.Labels[0], l.kinds))
		return
	}
	if !l.label(def.Kind, def.Labels[0], b.Labels[1], b.LabelRanges[1]) {
		return
	}
	address := l.object(addr.Data, def.Kind, b.Labels[1])
	defer l.within(b, address)()
	l.lookup = true
	decoded := l.body(b, def.DataBlock(), false)
	l.lookup = false
	decoded.Labels, decoded.Address = b.Labels, address
	if len(decoded.Attributes) == 0 && len(b.Body.Attributes) == 0 {
		l.fail(codeMissingAttribute, headerRange(b), "nothing to look up by",
			fmt.Sprintf("a lookup of a %s needs at least one attribute to find it by", def.Kind),
			"write its name or id")
	}
	if l.define(decoded.Address, decoded.Address.String(), headerRange(b)) {
		l.config.Data = append(l.config.Data, decoded)
	}
}

func (l *loader) locals(b *hclsyntax.Block) {
	if len(b.Labels) > 0 {
		l.fail(codeLabel, headerRange(b), "wrong number of labels", "a locals block has no label", "write: locals { … }")
	}
	l.count(b)
	for _, inner := range b.Body.Blocks {
		l.fail(codeUnknownBlock, inner.TypeRange, "block inside locals", fmt.Sprintf("locals holds attributes only, and %s is a block", inner.Type),
			fmt.Sprintf("to define a map, write: %s = { … }", inner.Type))
	}
	for _, a := range ordered(b.Body.Attributes) {
		address, err := addr.NewValue(addr.Module{}, addr.Local, a.Name)
		if err != nil || !l.define(address, address.String(), a.NameRange) {
			continue
		}
		l.config.Locals = append(l.config.Locals, l.attribute(a, nil))
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
	if b.Type != "variable" && !address.IsZero() {
		l.address = address
	}
	return func() { l.header, l.address = nil, nil }
}

// define notes where something is defined and refuses to define it twice.
func (l *loader) define(a addr.Address, name string, where hcl.Range) bool {
	if first, twice := l.config.defined[a]; twice {
		l.fail(codeDuplicate, where, "defined twice", fmt.Sprintf("%s is already defined at %s", name, place(first)), "give one of them another name")
		return false
	}
	l.config.defined[a] = rangeOf(where)
	return true
}

// count keeps the number of blocks and attributes within the limits.
func (l *loader) count(b *hclsyntax.Block) {
	l.blocks++
	l.attributes += len(b.Body.Attributes)
	if !l.full && (l.blocks > l.limits.Blocks || l.attributes > l.limits.Attributes) {
		l.full = true
		l.fail(codeLimit, headerRange(b), "configuration is too large",
			fmt.Sprintf("a configuration can have at most %d blocks and %d attributes", l.limits.Blocks, l.limits.Attributes), "")
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
