package resolve

import (
	"errors"
	"maps"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// textless has a function that makes text of any value refuse additions.
func textless(f function.Function) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(),
		Params:      f.Params(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if model.AddsAnywhere(args[0].Type()) {
				return cty.NilType, function.NewArgErrorf(0, "append and prepend add to the list that the layers below have, and in a text there is nothing below; write the list itself")
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(args) },
	})
}

// layering returns the functions that only settings have which are merged over those of other layers,
// where a list can be added to, and adds to the functions for everything else that they cannot be
// called there.
func layering(all map[string]function.Function) map[string]function.Function {
	settings := map[string]function.Function{}
	t := model.AdditionsType()
	for _, name := range []string{"jsonencode", "yamlencode"} {
		settings[name] = textless(all[name])
	}
	for name, make := range map[string]func(cty.Type, cty.Value) cty.Value{"append": model.Append, "prepend": model.Prepend} {
		settings[name] = function.New(&function.Spec{
			Description: "Adds the elements of a list to the list that the layers below have.",
			Params:      []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType, AllowMarked: true}}, // marks of elements stay theirs
			Type: func(args []cty.Value) (cty.Type, error) {
				switch list := args[0].Type(); {
				case model.AddsAnywhere(list):
					return cty.NilType, function.NewArgErrorf(0, "the list must have no append or prepend in it, as nothing lies below its elements")
				case !list.IsTupleType() && !list.IsListType() && !list.IsSetType():
					return cty.NilType, function.NewArgErrorf(0, "a list is required, such as %s([\"a\"]), and this is %s", name, config.Indefinite(list.FriendlyName()))
				}
				return t, nil
			},
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				list, marks := args[0].Unmark()
				if len(marks) > 0 {
					list = withinMarked(list, marks)
				}
				v := make(t, list).WithMarks(marks)
				if list.ContainsMarked() {
					v = v.Mark(model.Sensitive) // nobody else looks inside of it
				}
				return v, nil
			},
		})
		all[name] = function.New(&function.Spec{
			Description: settings[name].Description(),
			VarParam:    &function.Parameter{Name: "list", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true},
			Type: func([]cty.Value) (cty.Type, error) {
				return cty.NilType, errors.New("it adds to a list of the layers below, which only conf and values of a service have; to join lists anywhere else, use concat")
			},
		})
	}
	return settings
}

// withinMarked gives each element of a list the marks that the list as a whole had.
func withinMarked(list cty.Value, marks cty.ValueMarks) cty.Value {
	elements := list.AsValueSlice()
	for i := range elements {
		elements[i] = elements[i].WithMarks(marks)
	}
	return cty.TupleVal(elements)
}

// toolboxOfSettings returns the functions of the scope with those for settings.
func (s *scope) toolboxOfSettings() map[string]function.Function {
	if s.settingFunctions == nil {
		s.settingFunctions = maps.Clone(s.toolbox())
		maps.Copy(s.settingFunctions, s.e.layering)
	}
	return s.settingFunctions
}

// layered tells whether an attribute is merged over what other layers have.
func layered(a *config.Attribute) bool { return a.Schema != nil && a.Schema.Mapping }

// written evaluates the settings of a service block.
func (r *resolver) written(b *config.Block, layer string) []model.Setting {
	var settings []model.Setting
	for _, a := range b.Attributes {
		v, ok := r.setting(a)
		if within := model.AddsWithin(v.Type()); len(within) > 0 {
			r.misplaced(a, within)
			continue
		}
		if !ok || v.IsNull() || !layered(a) && r.tooSensitive(a, v) {
			continue
		}
		if !layered(a) {
			v = model.WithoutNulls(v) // an amount that is not written is none that layers below have
		}
		settings = append(settings, model.Setting{Name: a.Name, Value: v, Layer: layer, Range: a.NameRange, Origin: a.Origin()})
	}
	return settings
}

// misplaced tells of additions inside of lists, each where it stands.
func (r *resolver) misplaced(a *config.Attribute, within []cty.Path) {
	for _, path := range within {
		where, _ := a.Part(path)
		d := diag.Diagnostic{
			Code: codeValue, Subject: &where, Summary: "addition inside of a list",
			Detail: "append and prepend add to the value of a key, and here one stands inside of a list, which takes the place of the whole list below",
			Hint:   `write it as the value of a key, for example: filters = append(["a"])`,
		}
		hideValue(&d, a)
		r.scope.addOf(d, a)
	}
}
