package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/reference"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Indefinite returns a noun, such as the kind of a block, behind its article: a network, an image.
func Indefinite(noun string) string {
	switch {
	case noun == "openstack":
		return "an openstack block"
	case strings.HasSuffix(noun, "s"): // charts, locals: blocks that are named for what they hold
		return "a " + noun + " block"
	case noun != "" && strings.ContainsRune("aeio", rune(noun[0])):
		return "an " + noun
	default:
		return "a " + noun
	}
}

// longestExample is how long an example can be to stand in a hint.
const longestExample = 120

// Example is the hint that shows how an attribute can be written: by its own example, unless that is too
// long to stand in a line.
func Example(a *schema.Attribute) string {
	var text string
	switch {
	case a.ExampleText != "":
		text = a.ExampleText
	case a.Example != cty.NilVal && !a.Example.IsNull():
		text = reference.Literal(a.Example)
	case a.Reference != nil && a.Type == cty.String:
		text = a.Reference.Kind + ".<label>"
	case a.Reference != nil:
		text = "[" + a.Reference.Kind + ".<label>]"
	}
	if text == "" || len(text) > longestExample || strings.Contains(text, "\n") {
		text = blank(a.Type)
	}
	if a.Unit != "" {
		text += " (" + a.Unit + ")"
	}
	return fmt.Sprintf("write, for example: %s = %s", a.Name, text)
}

// blank is how a value of a type looks, without what is in it.
func blank(t cty.Type) string {
	switch {
	case t == cty.String:
		return `"…"`
	case t == cty.Number:
		return "1"
	case t == cty.Bool:
		return "true"
	case t.IsListType() || t.IsSetType() || t.IsTupleType():
		return "[…]"
	case t.IsMapType() || t.IsObjectType():
		return "{ … }"
	default:
		return "…"
	}
}

// mostNames is how many names a hint lists.
const mostNames = 24

// OneOf is the hint that offers the name that was probably meant, or lists all names; of too many it
// tells the first and the last. It is "" for no names.
func OneOf(name string, names []string) string {
	switch found := Nearest(name, names); {
	case found != "":
		return fmt.Sprintf("did you mean %q?", found)
	case len(names) == 0:
		return ""
	case len(names) > mostNames:
		return fmt.Sprintf("there are %d, from %q to %q", len(names), slices.Min(names), slices.Max(names))
	default:
		return "there are: " + strings.Join(names, ", ")
	}
}

// Circle joins things of which each leads to the next, and the last to the first again, by arrows: of
// many the first and the last, with how many are between them. In parentheses stands what the
// notes say of the way to the next.
func Circle(members, notes []string) string {
	const first, last = 8, 4
	var text strings.Builder
	for i, member := range members {
		if between := len(members) - first - last; between > 1 && i >= first && i < first+between {
			if i == first {
				fmt.Fprintf(&text, "… %d more … → ", between)
			}
			continue
		}
		text.WriteString(member)
		if i < len(notes) && notes[i] != "" {
			fmt.Fprintf(&text, " (%s)", notes[i])
		}
		text.WriteString(" → ")
	}
	if len(members) > 0 {
		text.WriteString(members[0])
	}
	return text.String()
}

var (
	typesPattern     = regexp.MustCompile(`\b([a-z][a-z ]*?) required, but have ([a-z][a-z ]*[a-z])`)
	argumentsPattern = regexp.MustCompile(`\b(\d+) argument\(s\)`)
)

// PlainTypes brings what the libraries say about types and arguments into words of the language, which
// has lists where they have tuples.
func PlainTypes(text string) string {
	text = typesPattern.ReplaceAllStringFunc(text, func(found string) string {
		parts := typesPattern.FindStringSubmatch(found)
		return fmt.Sprintf("%s is required, and this is %s", indefiniteType(parts[1]), indefiniteType(parts[2]))
	})
	return argumentsPattern.ReplaceAllStringFunc(text, func(found string) string {
		n, _, _ := strings.Cut(found, " ")
		if n == "1" {
			return "one argument"
		}
		return n + " arguments"
	})
}

func indefiniteType(name string) string {
	name = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(name, "a "), "an "), "tuple", "list")
	name = strings.ReplaceAll(name, " of dynamic", "") // which stands for whatever it holds
	if strings.HasPrefix(name, "any ") || strings.HasSuffix(name, "type") {
		return name
	}
	return Indefinite(name)
}
