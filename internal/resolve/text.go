package resolve

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// verb matches one verb of format: flags, width and precision, index, letter.
var verb = regexp.MustCompile(`%(?:%|([-+# 0]*)((?:[1-9][0-9]*)?(?:\.[0-9]*)?)(?:\[([0-9]+)\])?([a-zA-Z]))`)

// wholeNumbers makes format and formatlist write a number for %v as it is everywhere else: 1000000
// and not 1e+06.
func wholeNumbers(f function.Function) function.Function {
	rewritten := func(args []cty.Value) []cty.Value {
		if !args[0].IsKnown() || args[0].IsNull() || args[0].Type() != cty.String {
			return args
		}
		args = slices.Clone(args)
		args[0] = cty.StringVal(plainVerbs(args[0].AsString(), args[1:]))
		return args
	}
	return function.New(&function.Spec{
		Description: f.Description(),
		Params:      f.Params(),
		VarParam:    f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if args[0].IsMarked() {
				return f.ReturnTypeForValues(args)
			}
			return f.ReturnTypeForValues(rewritten(args))
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(rewritten(args)) },
	})
}

// plainVerbs replaces %v by %s where the argument is a number.
func plainVerbs(format string, args []cty.Value) string {
	at := 0
	return verb.ReplaceAllStringFunc(format, func(found string) string {
		parts := verb.FindStringSubmatch(found)
		if parts[4] == "" {
			return found // %%
		}
		if n, err := strconv.Atoi(parts[3]); err == nil {
			at = n - 1
		}
		n := at
		at++
		if parts[4] != "v" || strings.Trim(parts[1], "-") != "" || strings.Contains(parts[2], ".") || n < 0 || n >= len(args) || !isNumber(args[n].Type()) {
			return found
		}
		return strings.TrimSuffix(found, "v") + "s"
	})
}

func isNumber(t cty.Type) bool {
	if t.IsListType() || t.IsSetType() {
		t = t.ElementType()
	}
	return t == cty.Number
}

func startsWith() function.Function { return affix("prefix", strings.HasPrefix) }

func endsWith() function.Function { return affix("suffix", strings.HasSuffix) }

func affix(name string, test func(s, affix string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}, {Name: name, Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(test(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

// replace replaces a text everywhere, or what a pattern between slashes matches.
func replace() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "str", Type: cty.String},
			{Name: "substr", Type: cty.String},
			{Name: "replace", Type: cty.String},
		},
		Type: function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			s, old, replacement := args[0].AsString(), args[1].AsString(), args[2].AsString()
			if len(old) > 1 && strings.HasPrefix(old, "/") && strings.HasSuffix(old, "/") {
				return replacePattern(s, old[1:len(old)-1], replacement)
			}
			if n := strings.Count(s, old); n > 0 && len(replacement) > (maxText-len(s))/n {
				return cty.NilVal, errTooLarge
			}
			return cty.StringVal(strings.ReplaceAll(s, old, replacement)), nil
		},
	})
}

// replacePattern is regexp's ReplaceAllString with a limit on what it makes.
func replacePattern(s, pattern, replacement string) (cty.Value, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(1, "%s%w", textPattern, reasonOf(err))
	}
	var result []byte
	last := 0
	for _, match := range re.FindAllStringSubmatchIndex(s, -1) {
		result = append(result, s[last:match[0]]...)
		result = re.ExpandString(result, replacement, s, match)
		last = match[1]
		if len(result) > maxText {
			return cty.NilVal, errTooLarge
		}
	}
	return cty.StringVal(string(append(result, s[last:]...))), nil
}

// reasonOf is what is wrong with a pattern, in the words that regex has for it.
func reasonOf(err error) error {
	var at *syntax.Error
	if errors.As(err, &at) {
		return fmt.Errorf("%s in %s", at.Code, at.Expr)
	}
	return err
}

func strContains() function.Function { return affix("substr", strings.Contains) }
