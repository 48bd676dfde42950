package schema

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestEverythingIsDocumented wants for every attribute what the reference and editors show of it.
func TestEverythingIsDocumented(t *testing.T) {
	everyAttribute(New(), func(path string, a *Attribute) {
		if words := len(strings.Fields(a.Doc)); words < 3 && a.Presence != Computed {
			t.Errorf("%s: %q tells an operator nothing", path, a.Doc)
		}
		if strings.Contains(a.Doc, "\n") {
			t.Errorf("%s: the documentation is more than one paragraph", path)
		}
		if a.Presence == Computed {
			return
		}
		if a.Reference == nil && a.ExampleText == "" && (a.Example == cty.NilVal || a.Example.IsNull()) {
			t.Errorf("%s has no example", path)
		}
		if a.Service != "" {
			if _, ok := New().Service(a.Service); !ok {
				t.Errorf("%s: the example is for the service %q, which is not there", path, a.Service)
			}
		}
	})
	everyBlock(New(), func(path string, b *Block) {
		for _, l := range b.Labels {
			if l.Example != "" && (l.Format.Check(l.Example) != nil || len(l.Allowed) > 0 && !slices.Contains(l.Allowed, l.Example)) {
				t.Errorf("%s: the example %q cannot be a label", path, l.Example)
			}
		}
	})
}

// TestEveryResourceHasAnAPI: what is in OpenStack is kept by the API of a service that can be deployed, and waits for it.
func TestEveryResourceHasAnAPI(t *testing.T) {
	language := New()
	for _, kind := range language.Kinds(ClassResource) {
		b := language.Resource(kind)
		if _, known := language.Service(b.API); known == b.Cluster {
			t.Errorf("%s is kept by the API of %q", kind, b.API)
		}
		if api := language.ServiceOf(kind); api != b.API {
			t.Errorf("%s is kept by the API of %q, and by that of %q when one asks", kind, b.API, api)
		}
	}
	if api := language.ServiceOf("cloud"); api != "" {
		t.Errorf("a cloud is no resource, and is kept by the API of %q", api)
	}
}

// countless are the numbers that count nothing, or of which the documentation says what each counts.
func countless() []string {
	return []string{"provider_segmentation_id", "port_min", "port_max", "ip_version", "quota", "slot", "segmentation_id", "default_quota", "default_limit", "resource_limit", "dscp_mark", "segments"}
}

// TestNumbers wants bounds for every number that can be written, within 64 bits, so that none is
// changed on its way to an API; and what it counts.
func TestNumbers(t *testing.T) {
	everyAttribute(New(), func(path string, a *Attribute) {
		if !holdsNumbers(a) {
			if a.Bounds != nil || a.Unit != "" {
				t.Errorf("%s is no number and says what it counts or how much", path)
			}
			return
		}
		if a.Unit == "" && !slices.Contains(countless(), a.Name) {
			t.Errorf("%s has no unit", path)
		}
		if a.Presence == Computed {
			return
		}
		if a.Bounds == nil {
			t.Errorf("%s has no bounds", path)
		} else if a.Bounds.Min >= a.Bounds.Max {
			t.Errorf("%s has no number within its bounds", path)
		}
	})
}

// holdsNumbers tells whether a value of the attribute is a number or has some inside.
func holdsNumbers(a *Attribute) bool {
	var holds func(cty.Type) bool
	holds = func(t cty.Type) bool {
		switch {
		case t.IsCollectionType():
			return holds(t.ElementType())
		case t.IsObjectType():
			return slices.ContainsFunc(slices.Collect(maps.Values(t.AttributeTypes())), holds)
		default:
			return t == cty.Number
		}
	}
	return slices.ContainsFunc(append([]cty.Type{a.Type}, a.OneOf...), holds)
}

// TestChanges wants the kinds of change and scopes to be those that the reference knows, where
// they mean something: a change replaces objects, and a scope is one of settings of services.
func TestChanges(t *testing.T) {
	everyBlock(New(), func(path string, b *Block) {
		for _, a := range b.Attributes {
			switch a.Change {
			case InPlace, Refused:
			case Replace:
				if b.Class != ClassResource && b.Class != ClassPart {
					t.Errorf("%s.%s replaces what cannot be replaced", path, a.Name)
				}
			default:
				t.Errorf("%s.%s: a change is %q", path, a.Name, a.Change)
			}
			if (a.Scope != 0) != (b.Class == ClassService) {
				t.Errorf("%s.%s: settings of services have a scope, and nothing else", path, a.Name)
			}
			if a.Scope&^(ScopeCloud|ScopeNode) != 0 {
				t.Errorf("%s.%s: the scope is %d", path, a.Name, a.Scope)
			}
		}
	})
}

func TestFormatsAreDocumented(t *testing.T) {
	formats := map[Format]bool{}
	everyAttribute(New(), func(path string, a *Attribute) {
		formats[a.Format] = true
		if pattern := a.Format.Pattern(); pattern != "" && (!strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$")) {
			t.Errorf("%s: the pattern %s is not about the whole string", path, pattern)
		}
	})
	for format := range formats {
		if doc := format.Doc(); (doc == "") != (format == FormatAny) {
			t.Errorf("the documentation of the format %q is %q", format, doc)
		}
	}
}
