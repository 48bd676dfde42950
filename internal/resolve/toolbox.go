package resolve

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// toolbox returns every function that expressions of this scope can call: those of the language,
// and those that use the files or the budget of the scope.
func (s *scope) toolbox() map[string]function.Function {
	if s.functions == nil {
		s.functions = maps.Clone(s.e.functions)
		for name, f := range s.boundFunctions() {
			s.functions[name] = concealing(f)
		}
		s.functions["sensitive"] = marking(func(v cty.Value) (cty.Value, error) {
			s.disclosed = true // and is sealed from here on, also in what is said of the expression
			return seal(v)
		})
	}
	return s.functions
}

// toolboxOfTemplates is the same without those that render templates.
func (s *scope) toolboxOfTemplates() map[string]function.Function {
	if s.templateFunctions == nil {
		s.templateFunctions = maps.Clone(s.toolbox())
		for _, name := range []string{"templatefile", "templatestring"} {
			s.templateFunctions[name] = refused(s.templateFunctions[name])
		}
	}
	return s.templateFunctions
}

func (s *scope) boundFunctions() map[string]function.Function {
	all := map[string]function.Function{
		"file": s.ofFile(cty.String, func(name string) (cty.Value, error) {
			found, err := s.files.text(name)
			if err != nil {
				return cty.NilVal, err
			}
			return s.paid(found, func(b []byte) string { return string(b) })
		}),
		"fileexists": s.ofFile(cty.Bool, func(name string) (cty.Value, error) {
			there, err := s.files.exists(name)
			return cty.BoolVal(there), err
		}),
		"fileset":        s.fileSet(),
		"templatefile":   s.templateFile(),
		"templatestring": s.templateString(),
		"regex":          s.matching(stdlib.RegexFunc),
		"regexall":       s.matching(stdlib.RegexAllFunc),
		"replace":        s.replacing(replace()),
		"secret":         s.secret(),
		"sops":           s.sops(),
	}
	sums := checksums()
	sums["base64"] = base64.StdEncoding.EncodeToString
	for name, sum := range sums {
		all["file"+name] = s.ofFile(cty.String, func(name string) (cty.Value, error) {
			found, err := s.files.read(name)
			if err != nil {
				return cty.NilVal, err
			}
			return s.paid(found, sum)
		})
	}
	return all
}

// ofFile is a function of the path of a file.
func (s *scope) ofFile(want cty.Type, f func(name string) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(want),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if !s.budget.Spend(1, 0) {
				return cty.NilVal, errTooLarge
			}
			v, err := f(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, s.besideModule(args[0].AsString(), err))
			}
			return v, nil
		},
	})
}

// paid makes a text of a file, which costs as much as the file is long, however short the text.
func (s *scope) paid(f *file, sum func([]byte) string) (cty.Value, error) {
	if !s.budget.Spend(0, len(f.content)) {
		return cty.NilVal, errTooLarge
	}
	return cty.StringVal(sum(f.content)), nil
}

func (s *scope) fileSet() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}, {Name: "pattern", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Set(cty.String)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			found, err := s.files.match(args[0].AsString(), args[1].AsString(), func() bool { return s.budget.Spend(1, 0) })
			if err != nil {
				return cty.NilVal, err
			}
			if len(found) == 0 {
				return cty.SetValEmpty(cty.String), nil
			}
			values := make([]cty.Value, len(found))
			for i, name := range found {
				values[i] = cty.StringVal(name)
			}
			return cty.SetVal(values), nil
		},
	})
}

// matching makes the search for a pattern in a text charge the budget by the work that it is.
func (s *scope) matching(f function.Function) function.Function {
	return bounded(f, func(args []cty.Value) error {
		return s.pay(args[0].AsString(), args[1].AsString())
	})
}

func (s *scope) replacing(f function.Function) function.Function {
	return bounded(f, func(args []cty.Value) error {
		pattern := args[1].AsString()
		if len(pattern) < 2 || !strings.HasPrefix(pattern, "/") || !strings.HasSuffix(pattern, "/") {
			return nil // a plain text
		}
		return s.pay(pattern[1:len(pattern)-1], args[0].AsString())
	})
}

// pay charges a search: each instruction of the pattern may look at each byte of the text.
func (s *scope) pay(pattern, text string) error {
	const perStep = 256
	if len(pattern) > maxPattern {
		return fmt.Errorf("a pattern can have at most %d bytes", maxPattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil //nolint:nilerr // the function itself tells what is wrong
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	if !s.budget.Spend(len(program.Inst)*(1+len(text)/perStep), 0) {
		return errors.New("the pattern is too large for so long a text")
	}
	return nil
}
