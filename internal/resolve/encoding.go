package resolve

import (
	"crypto/sha1" //nolint:gosec // a function of the language, for checksums that others publish
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
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

func digest(algorithm string) function.Function {
	return textFunction(func(s string) (string, error) {
		switch algorithm {
		case "sha1":
			sum := sha1.Sum([]byte(s)) //nolint:gosec // see the import
			return hex.EncodeToString(sum[:]), nil
		case "sha512":
			sum := sha512.Sum512([]byte(s))
			return hex.EncodeToString(sum[:]), nil
		default:
			sum := sha256.Sum256([]byte(s))
			return hex.EncodeToString(sum[:]), nil
		}
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

func sensitive() function.Function {
	return marking(func(v cty.Value) cty.Value { return v.Mark(model.Sensitive) })
}

func nonsensitive() function.Function {
	return marking(func(v cty.Value) cty.Value {
		v, marks := v.Unmark()
		delete(marks, model.Sensitive)
		return v.WithMarks(marks)
	})
}

func marking(f func(cty.Value) cty.Value) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{
			Name: "value", Type: cty.DynamicPseudoType,
			AllowUnknown: true, AllowNull: true, AllowMarked: true, AllowDynamicType: true,
		}},
		Type: func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f(args[0]), nil },
	})
}
