package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Class tells what part of the configuration a block belongs to.
type Class string

// The classes of blocks.
const (
	ClassCloud    Class = "cloud"    // the one block that describes the deployment
	ClassProfile  Class = "profile"  // settings of services, shared by name
	ClassNode     Class = "node"     // a Kubernetes node
	ClassService  Class = "service"  // one OpenStack or infrastructure service
	ClassResource Class = "resource" // an object inside OpenStack, or in the cluster
	ClassMeta     Class = "meta"     // the language's own blocks: variable, locals
	ClassPart     Class = "part"     // a block that only exists inside another one
)

// Block defines one kind of block.
type Block struct {
	Kind       string
	Class      Class
	Doc        string // what the block is for, in one or two sentences
	Labels     []Label
	Attributes []Attribute // sorted by importance, as the reference lists them
	Blocks     []Nested
	Rules      []Rule // between the attributes

	// Cluster says of a resource that it is in the Kubernetes cluster, and not in OpenStack.
	Cluster bool
	// API is the service whose API keeps a resource that is in OpenStack, by the name that it is deployed by.
	API string
	// ChosenID says that the id of an object is what people have chosen, in which single words may be apart.
	ChosenID bool
	// Waits says of a block that is no resource that it takes depends_on.
	Waits bool
	// NeedsOne are lists of attributes: of each, at least one has to be written; short examples have the first.
	NeedsOne [][]string
	// Free says that any attribute name may be written besides those of Attributes.
	Free bool
	// Unique says why no second object of the kind can be made beside the first one before that is
	// deleted; "" when it can.
	Unique string
	// OneName says that the reason is the name, which two objects cannot have.
	OneName bool

	// Unmarked says that the object has no place for a mark, so that only its id tells whose it is.
	Unmarked bool

	// Loses is what is lost for good when an object is replaced, nil where that is nothing.
	Loses *Loss
	// Quota is what an object takes of the quota of its project, nil where that is nothing that has a limit.
	Quota *Taking
	// Keeps are limits of the quota of a project that the service of the API keeps because of the kind.
	Keeps []string

	looked *Block // the one that is looked up by this one, see [Block.DataBlock]; nil for none
	// object is the type that ObjectType returns; the zero value is that it is made when it is asked for.
	object cty.Type
}

// Loss is what nobody has any more once an object was replaced, or given other addresses than it has.
type Loss struct {
	What string // "the data on it"
	// Kept is the attribute, or the nested block with ip_address, that makes it nothing when it is written: the
	// new object has the same.
	Kept string
	// Needs is the attribute that has to be written for anything to be lost, "" for none.
	Needs string
	// Off is the list of which nothing can be taken out, in place, without There being lost: "the addresses that it has there".
	Off, There string
}

// Label is one of the names that follow a block's kind.
type Label struct {
	Name   string
	Doc    string
	Format Format
	// Allowed lists the only values, when there is such a list.
	Allowed []string
	// Example is a name that examples use.
	Example string
}

// Nested is a block inside a block.
type Nested struct {
	Block
	Min, Max int // how many there may be; a Max of 0 means any number
	// Service is the service that takes it, in a block of services; "" for all.
	Service string
	// Keys are the attributes that tell one of several from the others. The keys of those that are written are
	// put on record: ours are taken away when they are taken out, and those that others have added stay.
	Keys []string
	// Spells takes the place of Keys where what tells one from the others need not be written, or has several
	// spellings: it returns the same for all of them, and "" for what is not wholly known or a secret.
	Spells func(cty.Value) string
}

// Single tells whether at most one such block can be written, in which case its value is an
// object rather than a list of objects.
func (n *Nested) Single() bool { return n.Max == 1 }

// Presence tells who gives an attribute its value.
type Presence string

// The kinds of presence.
const (
	Optional Presence = ""         // may be written; when it is not, it is not managed
	Required Presence = "required" // must be written
	Computed Presence = "computed" // an output: known once the object exists, never written
)

// Change tells what a changed value means for an object that exists already.
type Change string

// The kinds of change.
const (
	InPlace Change = ""        // the object is updated
	Replace Change = "replace" // the object has to be deleted and created again
	Refused Change = "refused" // the change is an error: it can never be applied
)

// Scope tells where a setting may be written.
type Scope uint8

// The scopes; they combine. An attribute without scope is not a setting of a service.
const (
	ScopeCloud Scope = 1 << iota // for the whole cloud: in the cloud or its default profile
	ScopeNode                    // in a profile that only some nodes use, for a service with [Service.ByNode]
)

// Form tells how the right side of an attribute is read.
type Form string

// The forms.
const (
	FormValue      Form = ""           // an expression
	FormType       Form = "type"       // a type constraint, such as list(string)
	FormReferences Form = "references" // a list of addresses, read and never evaluated
	FormAddress    Form = "address"    // one address, read and never evaluated

	FormAttributes  Form = "attributes"  // a list of attributes of the same block, or all; never evaluated
	FormExpressions Form = "expressions" // a list in brackets of expressions, each for itself
	FormName        Form = "name"        // one name without quotes, never evaluated
	FormLiteral     Form = "literal"     // text in quotes, read as it stands
)

// Attribute defines one attribute of a block.
type Attribute struct {
	Name     string
	Doc      string
	Type     cty.Type
	Example  cty.Value // a value that fits; not needed for outputs and references
	Presence Presence
	Change   Change
	Scope    Scope
	Form     Form
	Format   Format            // what a string must look like
	Fields   map[string]Format // the same for strings inside of objects, by the names of their attributes
	// FieldExamples are values of those that Example does not have.
	FieldExamples map[string]string

	Sensitive bool // never shown
	Shown     bool // of what is in OpenStack: stands in addresses, plans and reports, so that it cannot be sensitive
	Wish      bool // says what is to be done with the object rather than what it is: exports do not have it
	Unordered bool // the order of the list's elements means nothing
	// Connects says that the object is connected to another one by it, or by a list to several. What we have connected goes
	// on record, and is disconnected when it is written no longer.
	Connects bool
	// Repeats says of a list that the object can be connected to one thing several times. How often goes on record, and of what
	// is written less often its kind tells which ones are disconnected.
	Repeats bool
	// Joins says that the object is joined to each in a list by something that is made before: all that it is about to be
	// joined to go on record, so that nothing is left of what did not come to its end.
	Joins bool
	// Belongs says that the object is a part of the one that it refers to by it, and comes and goes with that.
	Belongs bool
	// Limits says that it has the limits of a project, which [New] gives it as its type.
	Limits bool
	// Content says of a text that it is the path of a file of the configuration: what is in that becomes what is in the object.
	// At most one attribute does.
	Content bool
	// Encodes says of a map of texts that lists and objects in it are taken as the text of their JSON.
	Encodes  bool
	AtLoad   bool // must be known when the configuration is loaded
	Sealable bool // parts of it may be what nobody can open here; a Mapping may have such anyway

	// ExampleText is the right side of the example where that is more than the literal of Example,
	// such as an address or a condition.
	ExampleText string
	// Service is the service that examples set it for, when not every service takes it, or one that stays.
	Service string
	// Apart says that it does not fit to the examples of the other attributes, so that the whole block goes without it.
	Apart bool

	// FromLabel says that the block's label is the default.
	FromLabel bool
	// Lookup says that a data block may search by this attribute.
	Lookup bool
	// Default is the value when nothing is written; cty.NilVal when there is none.
	Default cty.Value
	// Allowed lists the only strings, for a string or each element of a list of strings.
	Allowed []string
	// Numbers are whole numbers that are allowed beside these, as they are written.
	Numbers *Bounds
	// Bounds limits a number, and each number inside a map or object.
	Bounds *Bounds
	// OneOf lists the types of a value that may have several; Type is then dynamic.
	OneOf []cty.Type
	// Mapping says of a dynamic value that it must be a map or object, of any content.
	Mapping bool
	// Unit is what a number counts, such as "MiB".
	Unit string
	// Conflicts names an attribute of the same block that must not be written beside this one; null counts as
	// not written.
	Conflicts string
	// Reference is set when the attribute names another block.
	Reference *Reference
	// Identifies are the kinds of which it may have the id, where it takes no block as several would do: exports write an
	// expression such as network.web.id.
	Identifies []string
	// Among says of a list of addresses from what they are; nil for from anywhere.
	Among *Among
	// Sole says why no second object can have what the attribute refers to beside the first one, as one that is created
	// before the old one is deleted would; "" when it can. Unless says of what OpenStack alone knows when it can after
	// all, "" for never. Instead says what to write in its place.
	Sole, Unless, Instead string
	// Outlives says that an object goes on with what the attribute referred to when it was made, though
	// somebody deleted that.
	Outlives bool
	// Cost is what a change in place costs, in a few words, "" for nothing: "the instance is restarted".
	Cost string
}

// Bounds are the inclusive limits of a number.
type Bounds struct{ Min, Max int64 }

// Reference says that an attribute, or each element of a list, takes a block of a kind, as in
// network = network.web. The value that reaches the driver is that block's output; a plain
// string is taken for the output itself.
type Reference struct {
	Kind   string
	Output string
	// Format is what such a string must look like: that of the output.
	Format Format
	// None says that an empty text means that there is none.
	None bool
	// Self is the attribute beside this one that means the block itself when it is true; "" without.
	Self string
}

// Among is what has the range that addresses are from. It cannot be deleted while something has such an address, unless it yields.
type Among struct {
	Kind, Range string
	In          string              // the kind of what both are in
	Yields      map[string][]string // the values of its attributes with which its addresses go with it
}

// Summary returns the first sentence of a documentation.
func Summary(doc string) string {
	if first, _, more := strings.Cut(doc, ". "); more {
		return first + "."
	}
	return doc
}

// HasDefault tells whether the attribute has a default value.
func (a *Attribute) HasDefault() bool { return a.Default != cty.NilVal }

// TakesOne tells whether a single string is a value of the attribute, beside lists perhaps.
func (a *Attribute) TakesOne() bool {
	return a.Type == cty.String || slices.Contains(a.OneOf, cty.String)
}

// Attribute returns the definition of an attribute, or nil.
func (b *Block) Attribute(name string) *Attribute {
	for i := range b.Attributes {
		if b.Attributes[i].Name == name {
			return &b.Attributes[i]
		}
	}
	return nil
}

// Nested returns the definition of a block inside this one, or nil.
func (b *Block) Nested(kind string) *Nested {
	for i := range b.Blocks {
		if b.Blocks[i].Kind == kind {
			return &b.Blocks[i]
		}
	}
	return nil
}

// Refused lists the attributes whose change is refused.
func (b *Block) Refused() []string {
	var names []string
	for i := range b.Attributes {
		if b.Attributes[i].Change == Refused {
			names = append(names, b.Attributes[i].Name)
		}
	}
	return names
}

// AttributeNames lists the attributes that can be written.
func (b *Block) AttributeNames() []string {
	var names []string
	for i := range b.Attributes {
		if b.Attributes[i].Presence != Computed {
			names = append(names, b.Attributes[i].Name)
		}
	}
	return names
}

// Definition is the whole language.
type Definition struct {
	blocks   []*Block
	index    map[string]*Block
	services map[string]Service
	quotas   []Quota
}

// New returns the definition of the language, with some blocks besides its own. It is safe for concurrent use. It panics where two blocks
// have one name, which is a mistake in the program: one would take the place of the other, and nobody would be told.
func New(also ...Block) *Definition {
	d := &Definition{index: map[string]*Block{}, services: map[string]Service{}}
	for _, block := range slices.Concat(
		cloudBlocks(), profileBlocks(), nodeBlocks(), metaBlocks(), statementBlocks(),
		identityBlocks(), accessBlocks(), placeBlocks(), networkBlocks(), computeBlocks(), schedulingBlocks(), volumeBlocks(), imageBlocks(), clusterBlocks(), also,
	) {
		if d.index[block.Kind] != nil {
			panic(fmt.Sprintf("schema: there is a block %q already", block.Kind))
		}
		d.blocks = append(d.blocks, &block)
		d.index[block.Kind] = &block
	}
	d.limit()
	for _, block := range d.blocks {
		d.formReferences(block)
		block.object = block.ObjectType() // of thousands of objects, each asks for it
	}
	for _, service := range serviceList() {
		d.services[service.Name] = service
	}
	return d
}

// formReferences gives every reference of a block the format of the output that it stands for.
func (d *Definition) formReferences(b *Block) {
	for i := range b.Attributes {
		if r := b.Attributes[i].Reference; r != nil {
			if to := d.Resource(r.Kind); to != nil {
				r.Format = to.Attribute(r.Output).Format
			}
		}
	}
	for i := range b.Blocks {
		d.formReferences(&b.Blocks[i].Block)
	}
}

// Blocks returns every block that can stand at the top of a file, in the reference's order.
func (d *Definition) Blocks() []*Block { return slices.Clone(d.blocks) }

// Block returns the definition of a top-level kind, or nil.
func (d *Definition) Block(kind string) *Block { return d.index[kind] }

// Kinds lists the top-level kinds, of one class if one is given.
func (d *Definition) Kinds(classes ...Class) []string {
	var kinds []string
	for _, b := range d.blocks {
		if len(classes) == 0 || slices.Contains(classes, b.Class) {
			kinds = append(kinds, b.Kind)
		}
	}
	return kinds
}

// Resource returns the definition of a kind of resource, or nil.
func (d *Definition) Resource(kind string) *Block {
	if b := d.index[kind]; b != nil && b.Class == ClassResource {
		return b
	}
	return nil
}

// ServiceOf returns the name of the service whose API keeps resources of a kind, "" for none.
func (d *Definition) ServiceOf(kind string) string {
	if b := d.Resource(kind); b != nil {
		return b.API
	}
	return ""
}

// Service returns what is known about a service by its name.
func (d *Definition) Service(name string) (Service, bool) {
	s, ok := d.services[name]
	return s, ok
}
