package compose

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// hidden stands in a chart's values for one that nobody may see, until all layers have met. It can be
// compared, so that equal ones are the same.
type hidden struct {
	ref  model.SecretRef // of a Secret; zero for a value of the configuration
	text string          // that value as JSON; "" while nobody knows it
}

// String hides the value.
func (hidden) String() string { return redact.Mask }

// GoString hides the value.
func (hidden) GoString() string { return redact.Mask }

// comparedText is [plainText] of what a value is behind what hides it, to be compared and never to be told; false where nobody
// knows that.
func comparedText(v any) (string, bool) {
	h, is := v.(hidden)
	if !is {
		return plainText(v), true
	}
	var text string
	if json.Unmarshal([]byte(h.text), &text) == nil {
		return text, true
	}
	return h.text, h.text != ""
}

// sameHidden tells whether one of two values is hidden and the other one is the same in plain.
func sameHidden(a, b any) bool {
	hiddenA, is := a.(hidden)
	hiddenB, also := b.(hidden)
	if is == also {
		return false
	}
	if also {
		hiddenA, b = hiddenB, a
	}
	text, err := json.Marshal(b)
	return err == nil && string(text) == hiddenA.text
}

// unusable stands in a chart's values for what Helm cannot be given, so that the rest can be looked at.
type unusable struct{}

// withHidden returns a value as Helm takes it, or the first error with what can be taken of the value and
// [unusable] in the places of the rest. inside tells that it is within something sensitive, where
// everything is; maps and lists themselves are not hidden, as charts show their keys anyway. The error has
// the path in it, which begins with the given one.
func withHidden(v cty.Value, inside bool, path cty.Path) (any, error) {
	if refs := model.SecretsAt(v); len(refs) > 0 {
		return hidden{ref: refs[0]}, nil
	}
	plain, marks := v.Unmark()
	inside = inside || len(marks) > 0
	switch t := plain.Type(); {
	case inside && !plain.IsKnown():
		return hidden{}, nil
	case plain.IsNull() || !plain.IsKnown():
	case t.IsObjectType() || t.IsMapType():
		var first error
		values, elements := map[string]any{}, plain.AsValueMap()
		for _, key := range slices.Sorted(maps.Keys(elements)) {
			inner, err := withHidden(elements[key], inside, path.GetAttr(key))
			first = cmp.Or(first, err)
			values[key] = inner
		}
		return values, first
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		var first error
		values := []any{}
		for i, element := range plain.AsValueSlice() {
			inner, err := withHidden(element, inside, path.IndexInt(i))
			first = cmp.Or(first, err)
			values = append(values, inner)
		}
		return values, first
	}
	value, err := model.Plain(plain)
	switch {
	case err != nil:
		return unusable{}, path.NewError(err)
	case !inside || value == nil:
		return value, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return unusable{}, path.NewErrorf("a value has no form in JSON") // the cause would quote it
	}
	return hidden{text: string(text)}, nil
}

// refused splits the error of [withHidden]: where in the value it is, what is wrong there, and what to do.
func refused(err error) (path cty.Path, detail, hint string) {
	if at := (cty.PathError{}); errors.As(err, &at) {
		path = at.Path
	}
	detail, hint, hinted := strings.Cut(err.Error(), "; ")
	if !hinted {
		hint = "write a text, a number, true, false, null, a list or a map"
	}
	return path, detail, hint
}

// conceal takes what is hidden out of a chart's values, and returns the places that it belongs to. In a
// list null holds the place.
func (c *composer) conceal(values map[string]any) (map[string]any, []unit.ValueSecret) {
	var secrets []unit.ValueSecret
	var walk func(v any, path []string) any
	walk = func(v any, path []string) any {
		below := func(step string) []string { return append(path[:len(path):len(path)], step) }
		switch v := v.(type) {
		case map[string]any:
			shown := map[string]any{}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if inner := walk(v[key], below(key)); inner != nil || v[key] == nil {
					shown[key] = inner
				}
			}
			return shown
		case []any:
			shown := make([]any, len(v))
			for i, element := range v {
				shown[i] = walk(element, below(fmt.Sprint(i)))
			}
			return shown
		case hidden:
			secrets = append(secrets, c.secretOf(v, path)...)
			return nil
		default:
			return v
		}
	}
	shown, _ := walk(values, nil).(map[string]any)
	return shown, secrets
}

// secretOf is what fills a place; nothing for what nobody knows, which is never installed.
func (c *composer) secretOf(h hidden, path []string) []unit.ValueSecret {
	switch {
	case h.ref != (model.SecretRef{}):
		ref := c.placed(h.ref)
		return []unit.ValueSecret{{Path: path, Namespace: ref.Namespace, Name: ref.Name, Key: ref.Key, Opted: true}}
	case h.text != "":
		return []unit.ValueSecret{{Path: path, Given: redact.NewSecret(h.text)}}
	default:
		return nil
	}
}

// placed fills in the cloud's namespace. A cloud without one leaves it to whoever reads the Secret.
func (c *composer) placed(ref model.SecretRef) model.SecretRef {
	if ref.Namespace == "" {
		ref.Namespace = c.m.Cloud.Namespace
	}
	return ref
}

func sortedSecrets(secrets []unit.ValueSecret) []unit.ValueSecret {
	slices.SortFunc(secrets, func(a, b unit.ValueSecret) int { return slices.Compare(a.Path, b.Path) })
	return secrets
}

// secretsIn tells which Secrets a resource is made from, and how to compute it with their values.
func (c *composer) secretsIn(spec *unit.Resource, r *model.Resource) {
	written := model.SecretsIn(r.Desired, r.Triggers)
	if len(written) == 0 || c.ev == nil {
		return
	}
	for _, ref := range written {
		spec.Secrets = append(spec.Secrets, c.placed(ref))
	}
	slices.SortFunc(spec.Secrets, model.SecretRef.Compare)
	spec.Secrets = slices.Compact(spec.Secrets)
	ev, address := c.ev, r.Address
	plain := *spec
	spec.Reveal = func(values map[model.SecretRef]redact.Secret) *unit.Resource {
		known := map[model.SecretRef]redact.Secret{} // as they are written
		for _, ref := range written {
			if value, ok := values[c.placed(ref)]; ok {
				known[ref] = value
			}
		}
		revealed := plain
		revealed.Resolve = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
			desired, _, diags := ev.Revealed(address, outputs, known)
			return desired, diags
		}
		if plain.Triggers != nil {
			revealed.Triggers = func(outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
				_, triggers, diags := ev.Revealed(address, outputs, known)
				return triggers, diags
			}
		}
		return &revealed
	}
}
