package resolve

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/sops"
)

// codeSealed is about an encrypted file that cannot be read, and need not be.
const codeSealed diag.Code = "resolve.sealed"

// sops reads an encrypted file of the tree. Every value in it is sensitive; its keys are readable in the
// file, so they are not.
func (s *scope) sops() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if args[0].IsMarked() {
				return cty.NilVal, function.NewArgErrorf(0, textFileNamed)
			}
			name := args[0].AsString()
			found, err := s.files.read(name)
			if err != nil {
				return cty.NilVal, function.NewArgError(0, s.besideModule(name, err))
			}
			if !s.budget.Spend(1, len(found.content)) {
				return cty.NilVal, errTooLarge
			}
			v, err := s.open(name, found)
			if err != nil {
				return cty.NilVal, err
			}
			s.disclosed = true
			return v, nil
		},
	})
}

// open returns what is in an encrypted file, each opened once. The error is an [unopened].
func (s *scope) open(name string, f *file) (cty.Value, error) {
	if before := s.files.before; before != nil {
		if found, ok := before.opened[f]; ok {
			return found.value, found.err
		}
	}
	found, ok := s.files.opened[f]
	if !ok {
		v, err := s.decrypt(name, f)
		if err != nil {
			err = s.unopened(name, err)
		}
		found = opened{v, err}
		s.files.opened[f] = found
	}
	return found.value, found.err
}

// opened is what is in an encrypted file, or why that cannot be said.
type opened struct {
	value cty.Value
	err   error
}

func (s *scope) decrypt(name string, f *file) (cty.Value, error) {
	encrypted, err := sops.Parse(name, f.content)
	if err != nil {
		return cty.NilVal, err
	}
	keys := s.e.config.Keys
	var document *sops.Value
	mark := func(v cty.Value) cty.Value { return v.Mark(model.Sensitive) }
	switch {
	case !keys.Identities.IsEmpty():
		identities, err := sops.Identities(keys.Identities)
		if err != nil {
			return cty.NilVal, &keyFileError{err}
		}
		if document, err = encrypted.Open(identities); err != nil {
			return cty.NilVal, err
		}
	case keys.Optional:
		if document, err = encrypted.Shape(); err != nil {
			return cty.NilVal, err
		}
		mark = func(v cty.Value) cty.Value {
			return cty.UnknownVal(v.Type()).RefineNotNull().WithMarks(cty.NewValueMarks(model.Sensitive, model.Sealed))
		}
		s.tellSealed(name, encrypted)
	default:
		return cty.NilVal, fmt.Errorf("it is encrypted for %s, and %w", strings.Join(encrypted.Recipients(), ", "), errNoKey)
	}
	return fromSOPS(document, mark)
}

// tellSealed warns that values are not checked.
func (s *scope) tellSealed(name string, f *sops.File) {
	full, err := config.Within(s.files.dir, name)
	if err != nil {
		full = name
	}
	begin := diag.Pos{Line: 1, Column: 1}
	s.add(diag.Diagnostic{
		Severity: diag.Warning, Code: codeSealed, Subject: &diag.Range{File: full, Start: begin, End: begin}, HideSource: true, Summary: "encrypted values are not checked",
		Detail: fmt.Sprintf("%s is encrypted for %s, and no age identity is given, so that its values are taken for unknown", full, strings.Join(f.Recipients(), ", ")),
		Hint:   "to check them as well, name a file with the identity: --sops-age-key-file",
	})
}

// fromSOPS makes a value of a document.
func fromSOPS(v *sops.Value, mark func(cty.Value) cty.Value) (cty.Value, error) {
	switch {
	case v.Map != nil:
		attributes := map[string]cty.Value{}
		for key, inner := range v.Map {
			made, err := fromSOPS(inner, mark)
			if err != nil {
				return cty.NilVal, err
			}
			attributes[key] = made
		}
		return cty.ObjectVal(attributes), nil
	case v.List != nil:
		var elements []cty.Value
		for _, inner := range v.List {
			made, err := fromSOPS(inner, mark)
			if err != nil {
				return cty.NilVal, err
			}
			elements = append(elements, made)
		}
		return cty.TupleVal(elements), nil
	}
	switch scalar := v.Scalar.(type) {
	case string:
		return mark(cty.StringVal(scalar)), nil
	case int64:
		return mark(cty.NumberIntVal(scalar)), nil
	case float64:
		if math.IsNaN(scalar) || math.IsInf(scalar, 0) {
			return cty.NilVal, errors.New("a number in it is none that can be written here")
		}
		return mark(cty.NumberFloatVal(scalar)), nil
	case bool:
		return mark(cty.BoolVal(scalar)), nil
	case []byte:
		return cty.NilVal, errors.New("a value in it is no text in UTF-8: encode it in base64 before it is encrypted")
	}
	switch v.Type { // a shape
	case "int", "float":
		return mark(cty.Zero), nil
	case "bool":
		return mark(cty.False), nil
	case "null":
		return cty.NullVal(cty.DynamicPseudoType), nil
	default:
		return mark(cty.StringVal("")), nil
	}
}

// sealed tells whether all that is not known in a value is so because it is encrypted.
func sealed(v cty.Value) bool {
	only := true
	_ = cty.Walk(v, func(_ cty.Path, inner cty.Value) (bool, error) {
		if !inner.IsKnown() && !inner.HasMark(model.Sealed) {
			only = false
		}
		return only, nil
	}) // the function returns no error
	return only
}
