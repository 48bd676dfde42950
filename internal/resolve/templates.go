package resolve

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// templateFile renders a file of the tree with the given values.
func (s *scope) templateFile() function.Function {
	return template("path", func(name string) (*config.Template, error) {
		t, err := s.files.template(name, s.budget)
		return t, s.besideModule(name, err)
	}, s.render)
}

// templateString renders a text with the given values.
func (s *scope) templateString() function.Function {
	return template("template", func(text string) (*config.Template, error) {
		return config.ParseTemplate([]byte(text), "template", config.DefaultLimits(), s.budget)
	}, s.render)
}

func template(name string, parse func(string) (*config.Template, error), render func(*config.Template, cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: name, Type: cty.String}, {Name: "vars", Type: cty.DynamicPseudoType}},
		// A template that is nothing but ${x} has the type of x.
		Type: function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if t := args[1].Type(); !t.IsObjectType() && !t.IsMapType() {
				return cty.NilVal, function.NewArgErrorf(1, "must be a map or an object with the values that the template uses")
			}
			t, err := parse(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return render(t, args[1])
		},
	})
}

// render evaluates a template, which sees the given values and nothing else.
func (s *scope) render(t *config.Template, vars cty.Value) (cty.Value, error) {
	values := vars.AsValueMap()
	if values == nil {
		values = map[string]cty.Value{}
	}
	names := slices.Sorted(maps.Keys(values))
	for _, name := range names {
		if !addr.ValidName(name) {
			return cty.NilVal, function.NewArgErrorf(1, "%q cannot be the name of a value in a template: names have letters, digits and underscores", name)
		}
	}
	most := config.DefaultLimits().FileErrors // nobody reads more of one text, and each is compared with all names
	var mistakes []mistake
	for i, use := range t.Missing(values) {
		values[use.Name] = cty.DynamicVal // to look for what else is wrong
		if i < most {
			mistakes = append(mistakes, unset(use, names))
		}
	}
	ctx := config.NewContext(values, s.toolboxOfTemplates(), s.budget)
	v, faults := t.Expr.Value(ctx)
	switch {
	case len(mistakes)+len(faults) == 0:
		return v, nil
	case len(mistakes) == 0:
		if closed := unopenedIn(faults); closed != nil {
			return cty.NilVal, closed
		}
	}
	others := append(t.Miscalls(ctx), faults.Causes()...)
	mistakes = append(mistakes, s.mistakesOf(others[:min(len(others), most)])...)
	slices.SortStableFunc(mistakes, func(a, b mistake) int { return cmp.Compare(a.where.Start.Byte, b.where.Start.Byte) })
	return cty.NilVal, &faultyTemplate{mistakes}
}

// refused stands for a template within a template: a few of them would make much from little, and
// for ever.
func refused(f function.Function) function.Function {
	return function.New(&function.Spec{
		Params: f.Params(),
		Type: func([]cty.Value) (cty.Type, error) {
			return cty.NilType, errors.New("a template cannot render another one: render that outside, and give the result to this one as a value")
		},
		Impl: func([]cty.Value, cty.Type) (cty.Value, error) { return cty.DynamicVal, nil },
	})
}
