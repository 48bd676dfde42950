package resolve

import (
	"encoding/base64"
	"errors"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

func base64Encode() function.Function {
	return textFunction(func(s string) (string, error) { return base64.StdEncoding.EncodeToString([]byte(s)), nil })
}

func base64Decode() function.Function {
	return textFunction(func(s string) (string, error) {
		decoded, err := base64.StdEncoding.DecodeString(s)
		switch {
		case err != nil:
			return "", errors.New("the text is not in base64")
		case !utf8.Valid(decoded):
			return "", errors.New("the decoded bytes are no text in UTF-8")
		}
		return string(decoded), nil
	})
}

func textFunction(f func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			s, err := f(args[0].AsString())
			if err != nil {
				return cty.NilVal, err
			}
			return cty.StringVal(s), nil
		},
	})
}

func sensitive() function.Function { return marking(seal) }

func seal(v cty.Value) (cty.Value, error) { return v.Mark(model.Sensitive), nil }

// nonsensitive takes the mark away from what the configuration itself has: a variable, or a value of an
// encrypted file, whose author may say that it is none. A Kubernetes Secret is somebody else's, who let it
// be read and not shown, and which object follows it is told by the mark.
func nonsensitive() function.Function {
	return marking(func(v cty.Value) (cty.Value, error) {
		if len(model.SecretsAt(v)) > 0 {
			return cty.NilVal, errStaysSecret
		}
		v, marks := v.Unmark()
		delete(marks, model.Sensitive)
		return v.WithMarks(marks), nil
	})
}

// isSensitive tells whether a value is marked; what is unknown may turn out to be either.
func isSensitive() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{
			Name: "value", Type: cty.DynamicPseudoType,
			AllowUnknown: true, AllowNull: true, AllowMarked: true, AllowDynamicType: true,
		}},
		Type: function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			switch {
			case args[0].HasMark(model.Sensitive):
				return cty.True, nil
			case !args[0].IsKnown():
				return cty.UnknownVal(cty.Bool), nil
			default:
				return cty.False, nil
			}
		},
	})
}

func marking(f func(cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{
			Name: "value", Type: cty.DynamicPseudoType,
			AllowUnknown: true, AllowNull: true, AllowMarked: true, AllowDynamicType: true,
		}},
		Type: func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f(args[0]) },
	})
}
