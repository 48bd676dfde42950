package config

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Config is a configuration as it is written: every block has the shape that the schema gives
// it, and no expression has been evaluated. Blocks are in the order of file name and position.
type Config struct {
	Definition *schema.Definition

	Cloud     *Block // nil when it is missing or broken
	Profiles  []*Block
	Nodes     []*Block
	Resources []*Block
	Data      []*Block
	Variables []*Block
	Locals    []*Attribute

	// Faulty says that mistakes were found, so that what is missing may have been taken away.
	Faulty bool
	// Partial says that a file could not be read as a whole, so that what a reference misses
	// may well be in there.
	Partial bool

	defined map[addr.Address]diag.Range
	sources map[string][]byte
}

// Source returns a file as it was read, for the snippets of diagnostics.
func (c *Config) Source(file string) ([]byte, bool) {
	source, ok := c.sources[file]
	return source, ok
}

// Defined returns where an address without key is defined, and whether it is.
func (c *Config) Defined(a addr.Address) (diag.Range, bool) {
	r, ok := c.defined[a]
	return r, ok
}

// Block is one block, or a block inside one.
type Block struct {
	Schema *schema.Block
	// Address is the identity of a block that can be referred to: of a profile, a node, a
	// resource, data, and a service of the cloud. It is zero for all other blocks.
	Address addr.Object
	Labels  []string
	Range   diag.Range // the header: kind and labels

	Attributes []*Attribute // as written, without those of the language itself
	Blocks     []*Block     // as written

	ForEach   *Attribute // nil without
	DependsOn []Reference
	Lifecycle *Block // nil without
}

// Label returns the last label, which is the block's name; "" when it has none.
func (b *Block) Label() string {
	if len(b.Labels) == 0 {
		return ""
	}
	return b.Labels[len(b.Labels)-1]
}

// Attribute returns an attribute as written, or nil.
func (b *Block) Attribute(name string) *Attribute {
	for _, a := range b.Attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Nested returns the blocks of a kind inside this one, as written.
func (b *Block) Nested(kind string) []*Block {
	var found []*Block
	for _, n := range b.Blocks {
		if n.Schema.Kind == kind {
			found = append(found, n)
		}
	}
	return found
}

// Attribute is one attribute as written.
type Attribute struct {
	Name   string
	Schema *schema.Attribute // nil for a local
	// Expr is the right side. It charges the [Budget] of the context that it is evaluated in.
	Expr       hcl.Expression
	References []Reference
	NameRange  diag.Range
	Range      diag.Range // of the right side
	// Broken says that a diagnostic about the expression was given, so that evaluating it
	// would only tell the same again.
	Broken bool
}

// Reference is one use of a named thing in an expression.
type Reference struct {
	// Target is the block or value, with a key when the key is written as a plain string. It is
	// nil for each.key and each.value.
	Target addr.Address
	// Key is the expression of a key that is computed, as in network.web[each.key]; nil
	// otherwise.
	Key hcl.Expression
	// Attribute is the first attribute after the target and its key; "" when the whole object
	// is meant.
	Attribute string
	Range     diag.Range
}

// Object returns the target as a block or object, when it is one.
func (r Reference) Object() (addr.Object, bool) {
	o, ok := r.Target.(addr.Object)
	return o, ok
}
