package resolve

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

const hintTooLarge = "look for texts and lists that grow with every step, and for a for expression inside another one"

// inTemplate matches what is said of a place in a template.
var inTemplate = regexp.MustCompile(`: \S+:\d+:\d+: `)

// evaluationHint says what to do about an expression that has no value, and returns the detail without
// what is part of the hint. Nothing is said of the value when a secret is part of it.
func evaluationHint(f config.Fault, detail string, withhold bool) (string, string) {
	if at := strings.LastIndex(detail, "; did you mean "); at >= 0 && strings.HasSuffix(detail, "?") {
		return detail[:at], detail[at+len("; "):]
	}
	if !withhold {
		if hint := existingAttributes(f); hint != "" {
			return detail, hint
		}
	}
	failure := f.Failure()
	if function, _ := f.Function(); function != "" {
		switch {
		case strings.HasSuffix(detail, "argument must not be null"):
			return detail, "give the argument a value, or say what null stands for, such as coalesce(…, \"none\")"
		case inTemplate.MatchString(detail):
			return detail, "mend the template at the place that is named"
		case strings.HasSuffix(function, "decode") && failure == config.FailureCall:
			return detail, "mend the document that is given to the function"
		case strings.Contains(detail, "would be too large") || strings.Contains(detail, " at most ") && !strings.HasSuffix(detail, textAtMostOne) || strings.Contains(detail, "more than "):
			return detail, "make it of smaller parts, or write down what is needed of it"
		case strings.Contains(detail, `"path" parameter: `):
			return detail, "the path begins at the directory of the configuration, also in a module, whose own directory is path.module; it stays in the repository"
		}
		if example := functionExample(function); example != "" {
			return detail, "write, for example: " + example
		}
	}
	if hint := nullHint(failure, detail); hint != "" {
		return detail, hint
	}
	switch failure {
	case config.FailureOperand, config.FailureInText, config.FailureResults, config.FailureCondition:
		return detail, "write a value of that type, or convert it: tostring, tonumber, tobool, jsonencode"
	case config.FailureAttribute, config.FailureIndex:
		if f.Element() {
			return detail, "correct the name; of a map, such as the objects of a block with for_each, the values are taken by: values(…)[*].name"
		}
		if strings.Contains(detail, "primitive-typed value") {
			return detail, "leave away what stands behind it, or refer to something else: the value is no object"
		}
		return detail, "correct the name, or write try(…, other) where it may be missing"
	case config.FailureTwice:
		return detail, "make the keys differ, or gather what has one key in a list: { for … : key => value... }"
	default:
		return detail, "look at the values that the expression is made of"
	}
}

// nullHint says what to do where null cannot be; "" when that is not what is wrong.
func nullHint(failure config.Failure, detail string) string {
	switch {
	case failure == config.FailureOverNull:
		return "say what null stands for, such as x == null ? [] : x"
	case failure == config.FailureInNull:
		return "give it a value, or write try(…, other) where it may be missing"
	case !strings.Contains(detail, "null value") && !strings.Contains(detail, "is null"):
		return ""
	case failure == config.FailureInText:
		return "say what null stands for, such as ${coalesce(…, \"none\")}"
	case failure == config.FailureForKey:
		return "leave null out: if … != null, behind the value"
	case failure == config.FailureIndex || failure == config.FailureNullKey:
		return "say with coalesce which key null stands for, or write try(…, other) where it may be missing"
	default:
		return ""
	}
}

// functionExample is how a function is called.
func functionExample(name string) string {
	if name == "append" || name == "prepend" {
		return fmt.Sprintf(`conf = { nova = { DEFAULT = { filters = %s(["a"]) } } }`, name)
	}
	if name == "nonsensitive" {
		return "nonsensitive(var.region)"
	}
	for _, group := range Reference() {
		for _, f := range group.Functions {
			if f.Name == name {
				return callIn(f.Example, name)
			}
		}
	}
	return ""
}

// callIn is the call of a function within an example, which may need others to show what comes of it.
func callIn(example, name string) string {
	at := regexp.MustCompile(`\b` + name + `\(`).FindStringIndex(example)
	if at == nil {
		return example
	}
	depth, quoted := 1, false
	for i := at[1]; i < len(example); i++ {
		switch c := example[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return example[at[0] : i+1]
			}
		}
	}
	return example
}

// existingAttributes lists what an object has, instead of an attribute or key that it does not have.
func existingAttributes(f config.Fault) string {
	if in, name, is := f.Lacking(); is {
		return config.OneOf(name, attributeNames(in))
	}
	return ""
}

// attributeNames are the names in an object or a map; none of what is not known, or a secret.
func attributeNames(v cty.Value) []string {
	if v.IsMarked() || v.IsNull() {
		return nil
	}
	var names []string
	switch t := v.Type(); {
	case t.IsObjectType():
		for name := range t.AttributeTypes() {
			names = append(names, name)
		}
	case t.IsMapType() && v.IsKnown():
		for it := v.ElementIterator(); it.Next(); {
			key, _ := it.Element()
			names = append(names, key.AsString())
		}
	}
	slices.Sort(names)
	return names
}
