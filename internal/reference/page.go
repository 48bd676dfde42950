package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Renderer writes the reference of a language.
type Renderer struct{ definition *schema.Definition }

// New returns a renderer for a definition, which it does not change.
func New(definition *schema.Definition) *Renderer { return &Renderer{definition: definition} }

// Pages returns the reference as Markdown by file name: a page for each block that can stand at
// the top of a file, one each for what every resource takes, for looking up and for the services, and
// README.md, which leads to all of them.
func (r *Renderer) Pages() map[string][]byte {
	pages := map[string][]byte{
		indexPage: r.index(), resourcePage: r.resource(), servicePage: r.services(), lookupPage: r.lookups(),
	}
	for _, b := range r.definition.Blocks() {
		pages[b.Kind+".md"] = r.page(b)
	}
	return pages
}

// page is the page of one block.
func (r *Renderer) page(b *schema.Block) []byte {
	p := &page{}
	p.paragraph("[Reference](README.md)")
	p.paragraph("# " + b.Kind)
	p.paragraph(prose(b.Doc))
	if b.Class == schema.ClassResource {
		p.paragraph("At least:")
		p.code(r.Example(b, true))
		p.paragraph("With everything:")
	}
	p.code(r.Example(b, false))
	if b.Class == schema.ClassResource {
		p.paragraph(fmt.Sprintf("Its address is `%s`. It also takes what [every resource](%s) takes: %s.", r.address(b), resourcePage, languageNames()))
	}
	if arguments := b.Arguments(); len(arguments) > 0 && b.Class != schema.ClassResource {
		if b.Argument("for_each") != nil {
			p.paragraph("Several that are alike, with the addresses `" + b.Kind + "." + several(r.labels(b)[0]) + `["a"]` + "` and so on:")
			p.code(r.Several(b))
		}
		full := *b
		full.Attributes = append(b.Attributes[:len(b.Attributes):len(b.Attributes)], arguments...)
		b = &full
	}
	r.body(p, b, 2, false)
	if b.Class == schema.ClassResource {
		r.lookup(p, b)
	}
	return p.bytes()
}

func (r *Renderer) address(b *schema.Block) string {
	return strings.Join(append([]string{b.Kind}, r.labels(b)...), ".")
}

func languageNames() string {
	var names []string
	for _, a := range schema.Arguments() {
		names = append(names, "`"+a.Name+"`")
	}
	return strings.Join(names, ", ") + " and `" + schema.Lifecycle().Kind + "`"
}

// body describes what can be written in a block, with headings of a level. With told set, it has
// been said that all of it must be known when the configuration is loaded.
func (r *Renderer) body(p *page, b *schema.Block, level int, told bool) {
	r.bodyLabels(p, b)
	if b.Waits {
		full := *b
		full.Attributes = append(b.Attributes[:len(b.Attributes):len(b.Attributes)], b.Arguments()...)
		b = &full
	}
	heading := strings.Repeat("#", level) + " "
	if len(b.AttributeNames()) > 0 {
		p.paragraph(heading + "Attributes")
		if !told && allAtLoad(b) {
			told = true
			p.paragraph("Everything in it has to be known when the configuration is loaded: it cannot use outputs of resources.")
		}
		r.attributes(p, b)
	}
	for _, ways := range b.NeedsOne {
		p.paragraph("At least one of " + codes(ways) + " has to be written.")
	}
	if len(b.Rules) > 0 {
		p.paragraph("Besides, the attributes have to fit each other:")
		p.list(rulesOf(b))
	}
	switch {
	case b.Free && len(b.Attributes) > 0:
		p.paragraph("Every other attribute gives its value to the variable of that name.")
	case b.Free:
		p.paragraph("Each attribute has a name of your choice and any value.")
	}
	for i := range b.Blocks {
		n := &b.Blocks[i]
		p.paragraph(heading + "Block `" + n.Kind + "`")
		p.paragraph(prose(n.Doc) + " " + howMany(n))
		r.body(p, &n.Block, level+1, told)
	}
	r.outputs(p, b, heading)
}

// rulesOf are the sentences that hold between the attributes of a block.
func rulesOf(b *schema.Block) []string {
	var texts []string
	for i := range b.Rules {
		texts = append(texts, b.Rules[i].Doc)
	}
	return texts
}

func (r *Renderer) bodyLabels(p *page, b *schema.Block) {
	for _, l := range b.Labels {
		text := "**Label:** " + prose(l.Doc)
		if len(b.Labels) > 1 {
			text = fmt.Sprintf("**Label** `%s`: %s", l.Name, prose(l.Doc))
		}
		switch {
		case b.Class == schema.ClassService:
			text += fmt.Sprintf(" There are the [services](%s) %s.", servicePage, codes(l.Allowed))
		case len(l.Allowed) > 0:
			text += " One of " + codes(l.Allowed) + "."
		case l.Format != schema.FormatAny:
			text += " It must be " + l.Format.Doc() + "."
		}
		p.paragraph(text)
	}
}

func howMany(n *schema.Nested) string {
	switch {
	case n.Min == 1 && n.Max == 1:
		return "There is exactly one."
	case n.Max == 1:
		return "There can be one."
	case n.Max == 0 && n.Min == 0:
		return "There can be any number."
	case n.Max == 0:
		return fmt.Sprintf("There are at least %d.", n.Min)
	default:
		return fmt.Sprintf("There are %d to %d.", n.Min, n.Max)
	}
}

func (r *Renderer) attributes(p *page, b *schema.Block) {
	changes := b.Class == schema.ClassResource
	for i := range b.Attributes {
		changes = changes || b.Attributes[i].Change != schema.InPlace
	}
	heads := []string{"attribute", "type", "unless written", "what it is for"}
	if changes {
		heads = []string{"attribute", "type", "unless written", "a change", "what it is for"}
	}
	p.row(heads...)
	p.row(strings.Split(strings.Repeat("--- ", len(heads)-1)+"---", " ")...)
	for i := range b.Attributes {
		a := &b.Attributes[i]
		if a.Presence == schema.Computed {
			continue
		}
		cells := []string{"`" + a.Name + "`", typeCell(a), unlessWritten(b, a)}
		if changes {
			cells = append(cells, change(b, a))
		}
		p.row(append(cells, r.purpose(b, a))...)
	}
	p.end()
}

// unlessWritten is what holds when an attribute is not there.
func unlessWritten(b *schema.Block, a *schema.Attribute) string {
	switch {
	case a.Presence == schema.Required:
		return "**required**"
	case a.FromLabel:
		return "the label"
	case a.HasDefault():
		return "`" + Literal(a.Default) + "`"
	case b.Class == schema.ClassResource && !b.Cluster:
		return "not managed"
	default:
		return "–"
	}
}

func change(b *schema.Block, a *schema.Attribute) string {
	switch {
	case a.Change == schema.Replace:
		return "**replaces**"
	case a.Change == schema.Refused:
		return "**is refused**"
	case b.Class == schema.ClassResource:
		return "in place"
	default:
		return "–"
	}
}

// purpose is the documentation of an attribute with everything that holds for its values.
func (r *Renderer) purpose(b *schema.Block, a *schema.Attribute) string {
	texts := []string{prose(a.Doc)}
	add := func(format string, args ...any) { texts = append(texts, fmt.Sprintf(format, args...)) }
	each := ""
	if a.Type.IsCollectionType() {
		each = "each "
	}
	switch {
	case a.Reference != nil && a.Type.IsCollectionType():
		add("A list of blocks of the kind [%s](%[1]s.md), or of strings that are their `%s`.", a.Reference.Kind, a.Reference.Output)
	case a.Reference != nil:
		add("%s [%s](%[2]s.md), or a string that is its `%s`.", article(a.Reference.Kind), a.Reference.Kind, a.Reference.Output)
	}
	if len(a.Allowed) > 0 {
		numbers := ""
		if a.Numbers != nil {
			numbers = fmt.Sprintf(", or a number from %d to %d", a.Numbers.Min, a.Numbers.Max)
		}
		add("%s of %s%s.", capital(each+"one"), codes(a.Allowed), numbers)
	}
	if a.Format != schema.FormatAny && a.Presence != schema.Computed {
		add("%s be %s.", capital(strings.TrimSpace(each+"must")), a.Format.Doc())
	}
	for _, name := range slices.Sorted(maps.Keys(a.Fields)) {
		add("`%s` must be %s.", name, a.Fields[name].Doc())
	}
	switch {
	case a.Bounds != nil && a.Unit != "":
		add("A whole number of %s, from %d to %d.", a.Unit, a.Bounds.Min, a.Bounds.Max)
	case a.Bounds != nil:
		add("A whole number from %d to %d.", a.Bounds.Min, a.Bounds.Max)
	case a.Unit != "":
		add("In %s.", a.Unit)
	}
	if large(a.Type) {
		add("Its attributes: %s.", members(a.Type))
	}
	if rivals := rivals(b, a); len(rivals) > 0 {
		add("Not together with %s.", codes(rivals))
	}
	if a.AtLoad && !allAtLoad(b) {
		add("Must be known when the configuration is loaded.")
	}
	if a.Sensitive {
		add("Sensitive: it is never shown in plans, reports and logs.")
	}
	if a.Unordered && !a.Type.IsSetType() {
		add("The order means nothing.")
	}
	switch a.Scope {
	case schema.ScopeCloud:
		add("*For the whole cloud only.*")
	case schema.ScopeNode:
		add("*For single nodes only.*")
	case schema.ScopeCloud | schema.ScopeNode:
		add("*For the whole cloud, and for single nodes where the service [can differ by node](%s).*", servicePage)
	}
	return strings.Join(texts, " ")
}

func (r *Renderer) outputs(p *page, b *schema.Block, heading string) {
	var computed []*schema.Attribute
	for i := range b.Attributes {
		if a := &b.Attributes[i]; a.Presence == schema.Computed {
			computed = append(computed, a)
		}
	}
	if len(computed) == 0 {
		return
	}
	p.paragraph(heading + "Outputs")
	p.paragraph("What expressions can use besides what is written, as in `" + r.address(b) + "." + computed[0].Name + "`.")
	p.row("output", "type", "what it is")
	p.row("---", "---", "---")
	for _, a := range computed {
		p.row("`"+a.Name+"`", typeCell(a), r.purpose(b, a))
	}
	p.end()
}

func (r *Renderer) lookup(p *page, b *schema.Block) {
	data := b.DataBlock()
	if len(data.Attributes) == 0 {
		return
	}
	p.paragraph("## Looking one up")
	p.paragraph(data.Doc)
	p.code(r.Lookup(b))
	var names []string
	for i := range data.Attributes {
		names = append(names, data.Attributes[i].Name)
	}
	p.paragraph("It can be found by " + codes(names) + "; everything that is written has to match. Its address is `" + schema.DataKind + "." + r.address(b) + "`.")
}

// rivals are the attributes that an attribute excludes.
func rivals(b *schema.Block, a *schema.Attribute) []string {
	var names []string
	for i := range b.Attributes {
		if other := &b.Attributes[i]; other.Conflicts == a.Name || a.Conflicts == other.Name {
			names = append(names, other.Name)
		}
	}
	return names
}

// allAtLoad tells whether nothing in a block can use outputs.
func allAtLoad(b *schema.Block) bool {
	for i := range b.Attributes {
		if a := &b.Attributes[i]; a.Presence != schema.Computed && a.Form == schema.FormValue && !a.AtLoad {
			return false
		}
	}
	for i := range b.Blocks {
		if !allAtLoad(&b.Blocks[i].Block) {
			return false
		}
	}
	return true
}

// typeCell is a type in a table: code, except for what is no type constraint.
func typeCell(a *schema.Attribute) string {
	switch {
	case a.Form != schema.FormValue:
		return typeOf(a)
	case large(a.Type):
		return "`object`"
	case len(a.OneOf) > 0:
		return strings.Join(strings.Split("`"+typeOf(a)+"`", " or "), "` or `")
	default:
		return "`" + typeOf(a) + "`"
	}
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "An"
	}
	return "A"
}

func codes(names []string) string {
	return "`" + strings.Join(names, "`, `") + "`"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
