package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// setting evaluates a setting of a service. Where that is merged over others, the values of Secrets
// may be in it: they become values of a chart and are filled in by whoever installs that, so each
// has to be there as a whole. They are evaluated as placeholders, which shows what was made of them;
// in the result they are unknown and bear the marks of [model.SecretRef] and [model.Sensitive].
func (r *resolver) setting(a *config.Attribute) (cty.Value, bool) {
	if !layered(a) {
		v, _, ok := r.scope.decode(a)
		return v, ok
	}
	if r.stoodIn == nil {
		r.stoodIn = &again{values: map[*named]cty.Value{}}
	}
	s := *r.scope
	s.functions, s.templateFunctions, s.settingFunctions = nil, nil, nil // they know how to reveal
	s.late, s.again, s.reveal = true, r.stoodIn, placeholder
	v, _, ok := s.decodePartly(a)
	if r.hidesKeys(a, v) {
		return v, false
	}
	w := wholes{scope: &s, attribute: a}
	v = w.value(v, nil)
	return v, ok && !w.broken
}

// placeholder stands for a value that is not known, and is nothing that anybody would write.
func placeholder(ref model.SecretRef) cty.Value {
	return cty.StringVal(strings.Join([]string{"\x00secret", ref.Namespace, ref.Name, ref.Key, "\x00"}, "\x00"))
}

// wholes puts references in the place of placeholders.
type wholes struct {
	scope     *scope
	attribute *config.Attribute
	broken    bool
}

func (w *wholes) value(v cty.Value, path []string) cty.Value {
	if model.Adds(v) && v.IsKnown() && !v.IsNull() {
		list, front := model.Added(v)
		plain, _ := v.Unmark()
		list, marks := w.value(list, path).Unmark()
		if front {
			return model.Prepend(plain.Type(), list).WithMarks(marks)
		}
		return model.Append(plain.Type(), list).WithMarks(marks)
	}
	if len(model.SecretsIn(v)) == 0 && !model.AddsAnywhere(v.Type()) {
		return v
	}
	plain, marks := v.Unmark()
	if refs := model.SecretsAt(v); len(refs) > 0 {
		i := slices.IndexFunc(refs, func(ref model.SecretRef) bool { return plain.IsKnown() && plain.RawEquals(placeholder(ref)) })
		switch {
		case i >= 0:
			return cty.UnknownVal(cty.String).RefineNotNull().WithMarks(cty.NewValueMarks(model.Sensitive, refs[i]))
		case plain.IsNull():
			return plain
		}
		w.part(refs[0], path)
		return v
	}
	t := plain.Type()
	switch {
	case !plain.IsKnown() || plain.IsNull() || !plain.CanIterateElements():
		return v
	case t.IsObjectType() || t.IsMapType():
		elements := plain.AsValueMap()
		for key, element := range elements {
			elements[key] = w.value(element, append(path[:len(path):len(path)], key))
		}
		return cty.ObjectVal(elements).WithMarks(marks)
	default: // a list or tuple, as marks of what is in a set are the set's
		elements := plain.AsValueSlice()
		for i, element := range elements {
			elements[i] = w.value(element, append(path[:len(path):len(path)], fmt.Sprint(i)))
		}
		return cty.TupleVal(elements).WithMarks(marks)
	}
}

// part tells that something was made of the value of a Secret.
func (w *wholes) part(ref model.SecretRef, path []string) {
	w.broken = true
	where := w.attribute.Origin().At(path...)
	w.scope.fail(codeSecret, where, "part of a value from a Secret",
		fmt.Sprintf("%s is made from %s, and a setting of a service can only take such a value as it is", strings.Join(append([]string{w.attribute.Name}, path...), "."), ref),
		"write secret(…) alone as the value of a key, and keep the whole text in the Secret")
}
