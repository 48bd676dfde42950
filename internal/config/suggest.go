package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Nearest returns the candidate that was most likely meant by a misspelt name, or "" when none
// is close enough to be worth showing.
func Nearest(name string, candidates []string) string {
	most := max(2, len(name)/3)
	if len(name) <= 3 {
		most = 1
	}
	best, distance := "", most+1
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if candidate == name || candidate == "" {
			continue
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d < distance && d < min(len(name), len(candidate)) {
			best, distance = candidate, d
		}
	}
	return best
}

// editDistance counts letters that are wrong, missing or too many. Two that are swapped are one mistake,
// as the fingers see it.
func editDistance(a, b string) int {
	if len(a) == len(b) {
		for i := range len(a) - 1 {
			if a[i] != b[i] {
				if a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
					return 1
				}
				break
			}
		}
	}
	return levenshtein.Distance(a, b, nil)
}

// nearest is the hint that goes with Nearest.
func nearest(name string, candidates []string) string {
	if found := Nearest(name, candidates); found != "" {
		return fmt.Sprintf("did you mean %q?", found)
	}
	return ""
}

func (l *loader) hintForBlock(b *hclsyntax.Block) string {
	kind := b.Type
	if hint := habitOfBlock(b, l.kinds); hint != "" {
		return hint
	}
	if hint := nearest(kind, append(l.config.Definition.Kinds(), schema.DataKind)); hint != "" {
		return hint
	}
	for _, outer := range l.config.Definition.Blocks() {
		if outer.Nested(kind) != nil {
			return fmt.Sprintf("a block of this kind stands inside %s", Indefinite(outer.Kind))
		}
	}
	return "there are: " + strings.Join(append(l.config.Definition.Kinds(), schema.DataKind), ", ")
}

// hintForAttribute also knows where else an attribute of that name can be written.
func (l *loader) hintForAttribute(def *schema.Block, name string, names []string) string {
	if name == forEachName && !slices.Contains(names, name) {
		return l.hintForEach(def)
	}
	if def.Class == schema.ClassService {
		if elsewhere := l.config.Definition.Block("cloud").Nested("service"); elsewhere.Attribute(name) != nil || elsewhere.Argument(name) != nil {
			return "it can only be set in the cloud's own service block"
		}
	}
	if lifecycle := schema.Lifecycle(); !l.lookup && def.Class == schema.ClassResource && lifecycle.Attribute(name) != nil {
		return fmt.Sprintf("it stands in a block of its own: lifecycle { %s = … }", name)
	}
	if Nearest(name, names) == "" {
		if hint := habitOfAttribute(name); hint != "" && (def.Class == schema.ClassResource || def.Kind == lifecycleKind) {
			return hint
		}
		if kind := Nearest(name, nestedKinds(def)); kind != "" {
			return fmt.Sprintf("did you mean the block %s { … }?", withLabels(&def.Nested(kind).Block))
		}
		for i := range def.Blocks {
			if inner := &def.Blocks[i]; inner.Attribute(name) != nil {
				return fmt.Sprintf("it stands in a block inside: %s { %s = … }", withLabels(&inner.Block), name)
			}
		}
	}
	return OneOf(name, names)
}

const forEachName = "for_each"

// hintForEach says what to do where a block cannot be repeated.
func (l *loader) hintForEach(def *schema.Block) string {
	if l.inResource() && def.Class != schema.ClassResource {
		return fmt.Sprintf("to repeat a block inside of another one, write: dynamic %q { for_each = … content { … } }", def.Kind)
	}
	return "only resources, lookups, nodes, modules and imports can be repeated: write one block for each"
}

// hintForStray says where an attribute at the top of a file belongs.
func (l *loader) hintForStray(name string) string {
	if l.config.Definition.Block("cloud").Attribute(name) != nil {
		return "it is an attribute of the cloud: write it inside of that block"
	}
	return "to give a value a name, write it in a locals block"
}

// withLabels is how a block begins, as in: service "name".
func withLabels(def *schema.Block) string {
	var text strings.Builder
	text.WriteString(def.Kind)
	for _, label := range def.Labels {
		fmt.Fprintf(&text, " %q", label.Name)
	}
	return text.String()
}

// hintForLabel writes a label so that it can be one.
func (l *loader) hintForLabel(kind, label string, format schema.Format) string {
	allowed := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '-'
	}, label)
	if format != schema.FormatIdentifier {
		allowed = strings.ToLower(strings.ReplaceAll(allowed, "_", "-"))
	}
	if format.Check(allowed) != nil {
		return "give it another label"
	}
	if def := l.config.Definition.Block(kind); def != nil && def.Attribute("name") != nil && def.Attribute("name").FromLabel {
		return fmt.Sprintf("write, for example: %s %q { name = %q }", kind, allowed, label)
	}
	return fmt.Sprintf("write, for example: %s %q", kind, allowed)
}

// misspelt tells whether a name that a block lacks is there, but written wrong, which was told.
func misspelt(b *hclsyntax.Block, def *schema.Block, name string) bool {
	return !def.Free && misspelling(b, def, name) != ""
}

// misspelling is how a name that a block lacks was written, wrongly; "" when it was not written at all.
func misspelling(b *hclsyntax.Block, def *schema.Block, name string) string {
	names := def.AttributeNames()
	for _, written := range slices.Sorted(maps.Keys(b.Body.Attributes)) {
		if def.Attribute(written) == nil && Nearest(written, names) == name {
			return written
		}
	}
	return ""
}

// meansForEach tells whether a name that a block does not have is that of for_each, or nearly so.
func meansForEach(def *schema.Block, name string, resource bool) bool {
	return name == forEachName || resource && Nearest(name, append(def.AttributeNames(), forEachName, "depends_on")) == forEachName
}

// hintForAddress shows an address without its quotes.
func hintForAddress(e hcl.Expression) string {
	if text := quoted(e); text != "" {
		if t, diags := hclsyntax.ParseTraversalAbs([]byte(text), "", hcl.InitialPos); !diags.HasErrors() && len(t) > 1 {
			return "write it without quotes: " + text
		}
	}
	return "write, for example: depends_on = [network.web, service.neutron]"
}

// nestedKinds are the kinds of blocks inside of one.
func nestedKinds(def *schema.Block) []string {
	var kinds []string
	for i := range def.Blocks {
		kinds = append(kinds, def.Blocks[i].Kind)
	}
	return kinds
}

func (l *loader) hintForNested(def *schema.Block, kind string, resource bool) string {
	if cloud := l.config.Definition.Block("cloud"); cloud != nil {
		if same := cloud.Nested(def.Kind); same != nil && &same.Block != def && def.Nested(kind) == nil && same.Nested(kind) != nil {
			return fmt.Sprintf("write it in the %s of the cloud: a profile has attributes alone", def.Kind)
		}
	}
	kinds := nestedKinds(def)
	if resource {
		kinds = append(kinds, lifecycleKind)
	}
	if resource && len(def.Blocks) > 0 {
		kinds = append(kinds, schema.DynamicKind)
	}
	if hint := nearest(kind, kinds); hint != "" {
		return hint
	}
	habit := habitOfNested(kind)
	switch {
	case resource && habit != "":
		return habit
	case def.Attribute(kind) != nil:
		return fmt.Sprintf("it is an attribute; write: %s = …", kind)
	case kind == lifecycleKind:
		return "take it away: only resources have a lifecycle"
	case len(kinds) == 0:
		return "take it away: there are no blocks in this one"
	default:
		return "there are: " + strings.Join(kinds, ", ")
	}
}

func plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "one " + noun
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}
