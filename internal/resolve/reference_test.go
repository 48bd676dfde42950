package resolve

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// hello is the tree that the examples of the reference read.
func hello() fstest.MapFS {
	return fstest.MapFS{
		"hello.txt": {Data: []byte("Hello!")}, "motd.tpl": {Data: []byte("Welcome to ${name}")}, "site.sops.yaml": {Data: encrypted("site.yaml")},
	}
}

// encrypted returns a file that SOPS made, or the throw-away identity for it.
func encrypted(name string) []byte {
	content, err := os.ReadFile("../sops/testdata/" + name)
	if err != nil {
		panic(err) // it is part of the repository
	}
	return content
}

func evaluateIn(t *testing.T, tree fstest.MapFS, text string, variables map[string]cty.Value) (cty.Value, error) {
	t.Helper()
	if variables == nil {
		variables = map[string]cty.Value{}
	}
	variables["path"] = cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal("."), "root": cty.StringVal(".")})
	return valueOf(t, text, toolbox(tree), variables)
}

// every calls visit for each function of the reference with its example's call of it, cut into the
// arguments.
func every(t *testing.T, visit func(f Function, args []string)) {
	t.Helper()
	for _, group := range Reference() {
		for _, f := range group.Functions {
			call := regexp.MustCompile(`\b` + f.Name + `\(`).FindStringIndex(f.Example)
			if call == nil {
				t.Errorf("the example of %s does not call it: %s", f.Name, f.Example)
				continue
			}
			var args []string
			for _, part := range parts(f.Example, call[1]) {
				args = append(args, f.Example[part[0]:part[1]])
			}
			visit(f, args)
		}
	}
}

// parts are the places of what commas divide in a bracket of an expression, from behind that on.
func parts(text string, from int) [][2]int {
	var found [][2]int
	add := func(to int) {
		part := text[from:to]
		if begin := from + len(part) - len(strings.TrimLeft(part, " ")); strings.TrimSpace(part) != "" {
			found = append(found, [2]int{begin, begin + len(strings.TrimSpace(part))})
		}
		from = to + 1
	}
	depth, quoted := 0, false
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([{", rune(c)):
			depth++
		case strings.ContainsRune(")]}", rune(c)) && depth == 0:
			add(i)
			return found
		case strings.ContainsRune(")]}", rune(c)):
			depth--
		case c == ',' && depth == 0:
			add(i)
		}
	}
	return found
}

// WithoutArguments returns the expression with a broken reference in place of each argument of each call.
func WithoutArguments(expression string) []string {
	var all []string
	for _, call := range regexp.MustCompile(`\b[a-z][a-z0-9]*\(`).FindAllStringIndex(expression, -1) {
		for _, at := range parts(expression, call[1]) {
			all = append(all, expression[:at[0]]+"local.missing"+expression[at[1]:])
		}
	}
	return all
}

// with returns the call with another argument in one place.
func with(f Function, args []string, at int, arg string) string {
	args = slices.Clone(args)
	args[at] = arg
	return fmt.Sprintf("%s(%s)", f.Name, strings.Join(args, ", "))
}

// TestReference finds every function in the reference once, and the result of its example.
func TestReference(t *testing.T) {
	described := map[string]bool{}
	every(t, func(f Function, _ []string) {
		if described[f.Name] {
			t.Errorf("%s is described twice", f.Name)
		}
		described[f.Name] = true
		if f.Doc == "" || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: %q is no sentence", f.Name, f.Doc)
		}
		got, err := evaluateIn(t, hello(), f.Example, nil)
		if err != nil {
			t.Errorf("%s: %v", f.Example, err)
			return
		}
		want, err := evaluateIn(t, hello(), f.Result, nil)
		if err != nil {
			t.Fatal(err)
		}
		// The result is a literal, so its lists are tuples; compare as what the function returned.
		if converted, err := convert.Convert(want, got.Type()); err != nil || !converted.RawEquals(got) {
			t.Errorf("%s = %#v, want %s", f.Example, got, f.Result)
		}
	})
	for name := range toolbox(hello()) {
		if !described[name] {
			t.Errorf("%s is not described", name)
		}
		delete(described, name)
	}
	for name := range described {
		t.Errorf("%s is described, and there is no such function", name)
	}
}

// TestMarksSurvive gives every function a sensitive value in place of each argument, and inside of
// each: what it returns is sensitive, and what it says does not quote it.
func TestMarksSurvive(t *testing.T) {
	const secret = "hunter2"
	exempt := map[string]string{
		"secret":       "its arguments are shown, so they cannot be sensitive",
		"sops":         "its path is shown, so it cannot be sensitive, and what it returns is always",
		"nonsensitive": "this is what it is for",
		"issensitive":  "it tells only that",
		"can":          "see TestAttemptsTellNoSecret",
		"try":          "see TestAttemptsTellNoSecret",
	}
	inside := map[string]string{
		"element": "it returns an element that is not sensitive",
		"keys":    "the keys are not sensitive",
		"lookup":  "it returns the default",
		"slice":   "it returns elements that are not sensitive",
	}
	every(t, func(f Function, args []string) {
		if exempt[f.Name] != "" {
			return
		}
		for i, arg := range args {
			v, err := evaluateIn(t, hello(), with(f, args, i, "sensitive("+arg+")"), nil)
			if err != nil || !v.IsMarked() {
				t.Errorf("%s with a sensitive %s: %#v, %v", f.Name, arg, v, err)
			}
			if inner := elementMarked(arg); inner != "" && inside[f.Name] == "" {
				v, err := evaluateIn(t, hello(), with(f, args, i, inner), nil)
				if err != nil || !v.ContainsMarked() {
					t.Errorf("%s with %s: %#v, %v", f.Name, inner, v, err)
				}
			}
			for _, wrong := range []string{`"` + secret + `"`, `["` + secret + `"]`, `{ a = "` + secret + `" }`, "null"} {
				v, err := evaluateIn(t, hello(), with(f, args, i, "sensitive("+wrong+")"), nil)
				switch {
				case err != nil && strings.Contains(err.Error(), secret):
					t.Errorf("%s tells a secret: %v", f.Name, err)
				case err == nil && !v.ContainsMarked():
					t.Errorf("%s with a sensitive %s: %#v", f.Name, wrong, v)
				}
			}
		}
	})
	if v, err := evaluateIn(t, nil, `try(sensitive("a"), "b")`, nil); err != nil || !v.IsMarked() {
		t.Errorf("try: %#v, %v", v, err)
	}
	if _, err := evaluateIn(t, nil, `try(parseint(sensitive("hunter2"), 10))`, nil); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("try: %v", err)
	}
	vars := map[string]cty.Value{"s": cty.StringVal(secret)}
	tree := fstest.MapFS{"bad.tpl": {Data: []byte(`${parseint(s, 10)}`)}}
	if _, err := evaluateIn(t, tree, `templatefile("bad.tpl", { s = sensitive(s) })`, vars); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("templatefile: %v", err)
	}
}

// elementMarked returns the argument with its first element sensitive; "" when it has none.
func elementMarked(arg string) string {
	if !strings.ContainsRune("[{", rune(arg[0])) {
		return ""
	}
	elements := parts(arg, 1)
	if len(elements) == 0 {
		return ""
	}
	from, to := elements[0][0], elements[0][1]
	if arg[0] == '{' {
		from += strings.Index(arg[from:to], " = ") + len(" = ")
	}
	return arg[:from] + "sensitive(" + arg[from:to] + ")" + arg[to:]
}

// TestUnknownArguments gives every function something that nobody knows yet in place of each
// argument.
func TestUnknownArguments(t *testing.T) {
	every(t, func(f Function, args []string) {
		if f.Name == "secret" {
			return // what it refers to has to be known
		}
		for i := range args {
			for name, unknown := range map[string]cty.Value{"of any type": cty.DynamicVal, "text": cty.UnknownVal(cty.String)} {
				if _, err := evaluateIn(t, hello(), with(f, args, i, "unknown"), map[string]cty.Value{"unknown": unknown}); err != nil && name == "of any type" {
					t.Errorf("%s with an unknown value %s as argument %d: %v", f.Name, name, i+1, err)
				} else if err != nil && strings.Contains(err.Error(), "panic") {
					t.Errorf("%s: %v", f.Name, err)
				}
			}
		}
	})
}
