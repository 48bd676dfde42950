package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// unsealHint is the hint about a sensitive value where it would be seen: the given one, unless the value
// comes from a Secret, of which nonsensitive() takes nothing.
func unsealHint(v cty.Value, otherwise string) string {
	if len(model.SecretsIn(v)) > 0 {
		return "write the value, or use variables and locals: what is made from secret() is never shown"
	}
	return otherwise
}

// countHint is the hint about a sensitive for_each of a dynamic block, which shows how many elements
// there are, and the keys of a map, but need not show the elements.
func countHint(a *config.Attribute, v cty.Value) string {
	t, name := v.Type(), collectionName(a)
	list := name
	switch {
	case t.IsMapType() || t.IsObjectType():
		return keysHint(a, v)
	case t.IsSetType():
		list = "tolist(" + name + ")"
	case !t.IsListType() && !t.IsTupleType():
		return unsealHint(v, "use nonsensitive() if it is no secret")
	case elementsHidden(v):
		return unsealHint(v, "use nonsensitive() around the collection; its elements stay sensitive")
	}
	return unsealHint(v, fmt.Sprintf("write: for_each = [for i in range(nonsensitive(length(%s))) : %s[i]]%s; its elements stay sensitive", name, list, standingFor(name)))
}

// keysHint is the hint about a sensitive for_each of which the keys would be seen. Those of a set are the
// elements themselves; the values of a map need not be shown for its keys.
func keysHint(a *config.Attribute, v cty.Value) string {
	t, name := v.Type(), collectionName(a)
	switch {
	case t.IsListType() || t.IsTupleType():
		return unsealHint(v, "if the elements are no secret, they can be the keys: toset(nonsensitive(…))")
	case !t.IsMapType() && !t.IsObjectType():
		return unsealHint(v, "use nonsensitive() if the keys are no secret")
	case elementsHidden(v):
		return unsealHint(v, "use nonsensitive() around the collection if the keys are no secret; its values stay sensitive")
	}
	return unsealHint(v, fmt.Sprintf("if the keys are no secret, write: for_each = { for k in nonsensitive(keys(%s)) : k => %s[k] }%s; its values stay sensitive", name, name, standingFor(name)))
}

// unnamed stands in hints for a collection that is not simply a variable or a local.
const unnamed = "x"

func collectionName(a *config.Attribute) string {
	if a.Steps == 2 && len(a.References) == 1 {
		if value, ok := a.References[0].Target.(addr.Value); ok {
			return value.String()
		}
	}
	return unnamed
}

func standingFor(name string) string {
	if name == unnamed {
		return ", with the collection for " + unnamed
	}
	return ""
}

// elementsHidden tells that each element is sensitive by itself, so that it stays so when the collection
// is not. A variable that is sensitive is so as a whole only.
func elementsHidden(v cty.Value) bool {
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
		return false
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, element := it.Element(); !element.IsMarked() {
			return false
		}
	}
	return true
}
