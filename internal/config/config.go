package config

import (
	"io/fs"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Config is a configuration as it is written: every block has the shape that the schema gives
// it, and no expression has been evaluated. Blocks are in the order of file name and position.
type Config struct {
	Definition *schema.Definition

	// Tree is what the configuration was read from, all of it. Functions of the language read files from it, and from nowhere else.
	Tree fs.FS

	Module          // the root, in whose directory the configuration is; what it calls is reached through its calls
	Cloud    *Block // nil when it is missing or broken
	Profiles []*Block
	Nodes    []*Block
	// OtherClouds are those behind the first, of which there must be none: what the first lacks may be in
	// there, so nothing is told of that.
	OtherClouds []*Block

	// Values are what the variables are given from outside, as [LoadValues] found it.
	Values []Value
	// ValuesPartial says that some of these could not be read.
	ValuesPartial bool

	// Keys open encrypted files. Whoever loads the configuration sets them.
	Keys Keys

	// Faulty says that mistakes were found, so that what is missing may have been taken away.
	Faulty bool
	// Partial says that a file could not be read as a whole, so that what a reference misses
	// may well be in there.
	Partial bool

	sources map[string][]byte
}

// Source returns a file as it was read, for the snippets of diagnostics.
func (c *Config) Source(file string) ([]byte, bool) {
	source, ok := c.sources[file]
	return source, ok
}

// Files returns how many files there are.
func (c *Config) Files() int { return len(c.sources) }

// Block is one block, or a block inside one.
type Block struct {
	Schema *schema.Block
	// Address is the identity of a block that can be referred to: of a profile, a node, a
	// resource, data, and a service of the cloud. It is zero for all other blocks. In a module it
	// is the address within the module.
	Address addr.Object
	Labels  []string
	Range   diag.Range // the header: kind and labels

	Attributes []*Attribute // as written, without those of the language itself
	Blocks     []*Block     // as written

	ForEach *Attribute // nil without
	// EachTold says that for_each is written where there is none, or under a misspelt name, which was
	// told. What each stands for in the block is missing for no other reason.
	EachTold bool
	// NameTold says that the name is written under a misspelt one, which was told.
	NameTold  bool
	DependsOn []Reference
	Lifecycle *Block // nil without

	// Broken says that a diagnostic about what stands in the block was given, so that what it lacks
	// may be there under another name.
	Broken bool

	// Iterator is set for a dynamic block, which stands for one block of its kind for each element
	// of ForEach: the name that its expressions know the element by.
	Iterator string
	// Names are the attributes that a lifecycle's ignore_changes lists. The values of its replace are
	// among Attributes, one for each expression.
	Names []string
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

// written counts the blocks of a kind inside this one that are not dynamic.
func (b *Block) written(kind string) int {
	n := 0
	for _, inner := range b.Nested(kind) {
		if inner.Iterator == "" {
			n++
		}
	}
	return n
}

// repeats tells whether a block inside this one is dynamic, so that how many there are of a kind is
// known only once it is evaluated.
func (b *Block) repeats(kind string) bool { return b.written(kind) < len(b.Nested(kind)) }

// Attribute is one attribute as written.
type Attribute struct {
	Name       string
	Schema     *schema.Attribute // nil for a local
	Expr       Expression        // the right side
	References []Reference
	NameRange  diag.Range
	Range      diag.Range // of the right side
	// Broken says that a diagnostic about the expression was given, so that it has no value.
	Broken bool
	// Strays are the first names of what is no reference in a broken expression. Evaluated with these
	// unknown it tells the other mistakes in it; without any it only tells the same again.
	Strays []string
	// Steps is how many steps the right side has when it is one reference and nothing else: 2 of
	// network.web; 0 otherwise.
	Steps int
	// Plain says that the right side certainly calls no function.
	Plain bool
	// Naming says that the right side is a reference, or a list of nothing but such.
	Naming bool
}

// Reference is one use of a named thing in an expression.
type Reference struct {
	// Target is the block, the value or the module that is called, with a key when the key is
	// written as a plain string. It is nil for each.key and each.value, for path, and for the element
	// of a dynamic block.
	Target addr.Address
	// Path says that it is path.module or path.root.
	Path bool
	// Iterator names the element of a dynamic block; "" otherwise.
	Iterator string
	// Key is a key that is computed, as in network.web[each.key]; none otherwise.
	Key Expression
	// Attribute is the first attribute after the target and its key, which is the output when the
	// target is a module, and key or value after each; "" when the whole object is meant.
	Attribute string
	Range     diag.Range
}

// Object returns the target as a block or object, when it is one.
func (r Reference) Object() (addr.Object, bool) {
	o, ok := r.Target.(addr.Object)
	return o, ok
}
