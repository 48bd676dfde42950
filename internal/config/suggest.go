package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Nearest returns the candidate that was most likely meant by a misspelt name, or "" when none
// is close enough to be worth showing.
func Nearest(name string, candidates []string) string {
	best, distance := "", len(name)/3+2
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if candidate == name || candidate == "" {
			continue
		}
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(candidate), nil); d < distance && d < len(candidate) {
			best, distance = candidate, d
		}
	}
	return best
}

// nearest is the hint that goes with Nearest.
func nearest(name string, candidates []string) string {
	if found := Nearest(name, candidates); found != "" {
		return fmt.Sprintf("did you mean %q?", found)
	}
	return ""
}

func (l *loader) hintForBlock(kind string) string {
	if hint := nearest(kind, append(l.config.Definition.Kinds(), schema.DataKind)); hint != "" {
		return hint
	}
	for _, outer := range l.config.Definition.Blocks() {
		if outer.Nested(kind) != nil {
			return fmt.Sprintf("a block of this kind stands inside a %s", outer.Kind)
		}
	}
	return ""
}

// hintForAttribute also knows where else an attribute of that name can be written.
func (l *loader) hintForAttribute(def *schema.Block, name string, names []string) string {
	if def.Class == schema.ClassService {
		if elsewhere := l.config.Definition.Block("cloud").Nested("service").Attribute(name); elsewhere != nil {
			return "it can only be set in the cloud's own service block"
		}
	}
	if lifecycle := schema.Lifecycle(); !l.lookup && def.Class == schema.ClassResource && lifecycle.Attribute(name) != nil {
		return fmt.Sprintf("it stands in a block of its own: lifecycle { %s = … }", name)
	}
	if hint := nearest(name, names); hint != "" {
		return hint
	}
	if len(names) > 0 && len(names) <= 12 {
		return "there are: " + strings.Join(names, ", ")
	}
	return ""
}

func hintForNested(def *schema.Block, kind string, resource bool) string {
	var kinds []string
	for i := range def.Blocks {
		kinds = append(kinds, def.Blocks[i].Kind)
	}
	if resource {
		kinds = append(kinds, "lifecycle")
	}
	if hint := nearest(kind, kinds); hint != "" {
		return hint
	}
	if def.Attribute(kind) != nil {
		return fmt.Sprintf("it is an attribute; write: %s = …", kind)
	}
	return ""
}

func hintForMissing(a *schema.Attribute) string {
	switch {
	case a.Reference != nil:
		return fmt.Sprintf("write, for example: %s = %s.<label>", a.Name, a.Reference.Kind)
	case a.Example != cty.NilVal && !a.Example.IsNull() && a.Type == cty.String:
		return fmt.Sprintf("write, for example: %s = %q", a.Name, a.Example.AsString())
	case a.Example != cty.NilVal && !a.Example.IsNull() && a.Type == cty.Number:
		return fmt.Sprintf("write, for example: %s = %s", a.Name, a.Example.AsBigFloat().Text('f', -1))
	default:
		return ""
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
