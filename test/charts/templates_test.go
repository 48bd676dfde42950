//go:build beds

package charts_test

import (
	"slices"
	"strings"
	"testing"
	"text/template/parse"
)

// anyKey is the step of a path whose key is known only when the template runs.
const anyKey = "*"

// value is the path below .Values that an expression stands for: empty for .Values itself and
// nil when it is not one of the values, or not known to be.
type value []string

// below returns the path that is these steps further down.
func (v value) below(steps ...string) value {
	if v == nil {
		return nil
	}
	return append(slices.Clone(v), steps...)
}

// element returns what a range over the value yields.
func (v value) element() value {
	if v.made() {
		return v
	}
	return v.below(anyKey)
}

// maker begins the only step of a value that a function made of others, its name follows: what is looked up
// in there is not tracked.
const maker = "made by "

func (v value) made() bool { return len(v) == 1 && strings.HasPrefix(v[0], maker) }

type variable struct {
	name  string
	value value
}

// reader walks a template as text/template executes it, through every branch once, and notes
// each path below .Values that is read: directly, through variables, through the dot of with
// and range, and by index.
type reader struct {
	variables []variable
	found     []string
	untracked []string // functions that take a value somewhere else
}

// keysIn returns the paths below .Values that a file of templates reads, and the functions that it gives
// a part of the values though nobody knows here what they read of it.
func keysIn(t *testing.T, text string) (found, untracked []string) {
	t.Helper()
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	defined := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", defined); err != nil {
		t.Fatal(err)
	}
	for _, one := range defined {
		var r reader
		r.walk(one.Root, nil)
		found = append(found, r.found...)
		untracked = append(untracked, r.untracked...)
	}
	return found, untracked
}

func (r *reader) walk(node parse.Node, dot value) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, child := range n.Nodes {
				r.walk(child, dot)
			}
		}
	case *parse.ActionNode:
		r.declare(n.Pipe, r.pipe(n.Pipe, dot))
	case *parse.TemplateNode:
		r.pipe(n.Pipe, dot)
	case *parse.IfNode:
		r.branch(n.BranchNode, dot, func(value) value { return dot })
	case *parse.WithNode:
		r.branch(n.BranchNode, dot, func(piped value) value { return piped })
	case *parse.RangeNode:
		r.branch(n.BranchNode, dot, value.element)
	}
}

// branch walks both sides of a control structure, whose variables end with it. The first side
// has as its dot what inner makes of the pipeline.
func (r *reader) branch(n parse.BranchNode, dot value, inner func(value) value) {
	outside := len(r.variables)
	piped := r.pipe(n.Pipe, dot)
	if n.NodeType == parse.NodeRange {
		r.declareElement(n.Pipe, piped.element())
	} else {
		r.declare(n.Pipe, piped)
	}
	inside := len(r.variables)
	r.walk(n.List, inner(piped))
	r.variables = r.variables[:inside]
	r.walk(n.ElseList, dot)
	r.variables = r.variables[:outside]
}

func (r *reader) declare(pipe *parse.PipeNode, v value) {
	for _, declared := range pipe.Decl {
		r.set(declared.Ident[0], v, pipe.IsAssign)
	}
}

// declareElement sets the variables of a range: the last one is the element, and one before it
// is the key.
func (r *reader) declareElement(pipe *parse.PipeNode, element value) {
	for i, declared := range pipe.Decl {
		if i == len(pipe.Decl)-1 {
			r.set(declared.Ident[0], element, pipe.IsAssign)
			continue
		}
		r.set(declared.Ident[0], nil, pipe.IsAssign)
	}
}

func (r *reader) set(name string, v value, assign bool) {
	if assign {
		for i, known := range slices.Backward(r.variables) {
			if known.name == name {
				r.variables[i].value = v
				return
			}
		}
	}
	r.variables = append(r.variables, variable{name, v})
}

func (r *reader) get(name string) value {
	for _, known := range slices.Backward(r.variables) {
		if known.name == name {
			return known.value
		}
	}
	return nil
}

// pipe reads a pipeline, in which each result is the last argument of the next function.
func (r *reader) pipe(pipe *parse.PipeNode, dot value) value {
	if pipe == nil {
		return nil
	}
	var result value
	for i, command := range pipe.Cmds {
		arguments := make([]value, len(command.Args), len(command.Args)+1)
		for k, argument := range command.Args {
			arguments[k] = r.expression(argument, dot)
		}
		nodes := command.Args
		if i > 0 {
			arguments, nodes = append(arguments, result), append(slices.Clone(nodes), nil)
		}
		result = r.call(nodes, arguments)
	}
	return result
}

// call is what a function yields of its arguments, the first of which is its name. Keys that it is given
// are read; one that does something to a value that is not known here must not be used with any.
func (r *reader) call(nodes []parse.Node, arguments []value) value {
	name, isCall := nodes[0].(*parse.IdentifierNode)
	if !isCall || len(arguments) == 1 {
		return arguments[0]
	}
	last := len(arguments) - 1
	switch name.Ident {
	case "index":
		if arguments[1] != nil && len(arguments[1]) == 0 && keys(nodes[2:3])[0] == anyKey {
			r.untracked = append(r.untracked, name.Ident) // of all values: no fact tells which
		}
		return r.read(arguments[1], keys(nodes[2:]))
	case "get":
		return r.read(arguments[1], keys(nodes[2:3]))
	case "hasKey":
		r.read(arguments[1], keys(nodes[2:3]))
		return nil
	case "pick", "omit":
		for _, key := range keys(nodes[2:]) {
			if key != anyKey {
				r.read(arguments[1], []string{key})
			}
		}
		return arguments[1]
	case "dig":
		return r.read(arguments[last], keys(nodes[1:last-1]))
	case "pluck":
		var all value
		for _, from := range arguments[2:] {
			all = r.read(from, keys(nodes[1:2]))
		}
		return all.element()
	case "default", "deepCopy", "required":
		return arguments[last]
	case "merge", "mergeOverwrite", "or", "and", "coalesce", "ternary", "first", "last":
		if i := slices.IndexFunc(arguments, func(v value) bool { return v != nil }); i >= 0 {
			return arguments[i] // of several the first stands for all
		}
		return nil
	}
	if i := slices.IndexFunc(arguments, func(v value) bool { return v != nil && !v.made() }); i >= 0 {
		if !slices.Contains(ending(), name.Ident) {
			r.untracked = append(r.untracked, name.Ident)
		}
		return value{maker + name.Ident}
	}
	if i := slices.IndexFunc(arguments, value.made); i >= 0 {
		return arguments[i]
	}
	return nil
}

// ending are the functions in whose result no part of the values must be looked up any more, and the calls of
// templates, whose keys TestNamedKeys and the walk through the template itself look at.
func ending() []string {
	return []string{
		"append", "b64enc", "dict", "eq", "has", "hasPrefix", "include", "int", "join", "kindIs", "list", "not", "printf", "quote", "toJson", "toString",
		"toYaml", "trunc", "urlquery",
	}
}

// keys are the steps that arguments stand for.
func keys(nodes []parse.Node) []string {
	var steps []string
	for _, node := range nodes {
		step := anyKey
		if literal, ok := node.(*parse.StringNode); ok {
			step = literal.Text
		}
		steps = append(steps, step)
	}
	return steps
}

func (r *reader) expression(node parse.Node, dot value) value {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return r.read(dot, n.Ident)
	case *parse.VariableNode:
		return r.read(r.get(n.Ident[0]), n.Ident[1:])
	case *parse.ChainNode:
		return r.read(r.expression(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return r.pipe(n, dot)
	}
	return nil
}

// read notes and returns the path that is some fields below a value. Values among the fields
// starts a path, whatever is before it: the root context has many names.
func (r *reader) read(from value, fields []string) value {
	if i := slices.Index(fields, "Values"); i >= 0 {
		from, fields = value{}, fields[i+1:]
	}
	if from.made() {
		if len(fields) > 0 {
			r.untracked = append(r.untracked, strings.TrimPrefix(from[0], maker))
		}
		return from
	}
	found := from.below(fields...)
	if found != nil && len(fields) > 0 {
		r.found = append(r.found, strings.Join(found, "."))
	}
	return found
}

// TestUnknownKeys checks that a key no chart has is noticed however a template reads it, and
// that a key beside it which exists is not.
func TestUnknownKeys(t *testing.T) {
	known := chartFacts{Paths: map[string]string{
		"pod.replicas.api":              "number",
		"pod.replicas.server":           "number",
		"pod.lifecycle.grace.timeout":   "number",
		"conf.free":                     "map",
		"endpoints.db.hosts.default":    "string",
		"endpoints.cache.hosts.default": "string",
	}}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"known keys", `{{ .Values.pod.replicas.api }}{{ $p := .Values.pod }}{{ $p.replicas.api }}{{ with $p.replicas }}{{ .server }}{{ end }}` +
			`{{ range $n, $e := .Values.endpoints }}{{ $e.hosts.default }}{{ end }}{{ index $p "replicas" "api" }}{{ .Values.conf.free.at.all }}`, nil},
		{"field", `{{ .Values.pod.bad }}`, []string{"pod.bad"}},
		{"root variable", `{{ range .Other }}{{ $.Values.pod.bad }}{{ end }}`, []string{"pod.bad"}},
		{"root from a list", `{{ (index . 0).Values.pod.bad }}`, []string{"pod.bad"}},
		{"argument", `{{ include "x" (list . .Values.pod.bad) }}`, []string{"pod.bad"}},
		{"variable", `{{ $x := .Values.pod }}{{ $x.bad }}`, []string{"pod.bad"}},
		{"variable of all values", `{{ $x := $.Values }}{{ $x.bad }}`, []string{"bad"}},
		{"variable of a variable", `{{ $x := .Values.pod }}{{ $y := $x.replicas }}{{ $y.bad }}`, []string{"pod.replicas.bad"}},
		{"variable with default", `{{ $x := .Values.pod.replicas | default dict }}{{ $x.bad }}`, []string{"pod.replicas.bad"}},
		{"default before", `{{ $x := default dict .Values.pod.replicas }}{{ $x.bad }}`, []string{"pod.replicas.bad"}},
		{"variable in a block", `{{ $x := .Values.pod }}{{ if .A }}{{ range .B }}{{ $x.bad }}{{ end }}{{ end }}`, []string{"pod.bad"}},
		{"variable of if", `{{ if $x := .Values.pod }}{{ $x.bad }}{{ else }}{{ $x.worse }}{{ end }}`, []string{"pod.bad", "pod.worse"}},
		{"assignment", `{{ $x := .Other }}{{ if .A }}{{ $x = .Values.pod }}{{ end }}{{ $x.bad }}`, []string{"pod.bad"}},
		{"shadowed in a block", `{{ $x := .Values.pod }}{{ if .A }}{{ $x := .Other }}{{ $x.fine }}{{ end }}{{ $x.bad }}`, []string{"pod.bad"}},
		{"defined template", `{{ define "a" }}{{ $x := .Values.pod }}{{ $x.bad }}{{ end }}{{ define "b" }}{{ $x := .Other }}{{ $x.fine }}{{ end }}`, []string{"pod.bad"}},
		{"with", `{{ with .Values.pod }}{{ .bad }}{{ end }}`, []string{"pod.bad"}},
		{"with in with", `{{ with .Values.pod }}{{ with .replicas }}{{ .bad }}{{ end }}{{ .worse }}{{ end }}`, []string{"pod.replicas.bad", "pod.worse"}},
		{"with variable", `{{ with $x := .Values.pod }}{{ $x.bad }}{{ end }}`, []string{"pod.bad"}},
		{"dot of with in a variable", `{{ with .Values.pod }}{{ $x := . }}{{ $x.bad }}{{ end }}`, []string{"pod.bad"}},
		{"else of with", `{{ with .Values.pod }}{{ with .Other }}{{ else }}{{ .bad }}{{ end }}{{ end }}`, []string{"pod.Other", "pod.bad"}},
		{"after with", `{{ with .Values.pod }}{{ .replicas }}{{ end }}{{ .fine }}`, nil},
		{"range", `{{ range .Values.endpoints }}{{ .hosts }}{{ .bad }}{{ end }}`, []string{"endpoints.*.bad"}},
		{"range with element", `{{ range $e := .Values.endpoints }}{{ $e.bad }}{{ end }}`, []string{"endpoints.*.bad"}},
		{"range with key and element", `{{ range $k, $e := .Values.endpoints }}{{ $k.fine }}{{ $e.bad }}{{ end }}`, []string{"endpoints.*.bad"}},
		{"range over a variable", `{{ $x := .Values.endpoints }}{{ range $x }}{{ .bad }}{{ end }}`, []string{"endpoints.*.bad"}},
		{"index", `{{ index .Values.pod "bad" }}`, []string{"pod.bad"}},
		{"index of a variable", `{{ $x := .Values.pod }}{{ index $x "replicas" "bad" }}`, []string{"pod.replicas.bad"}},
		{"index with an unknown key", `{{ index .Values.endpoints .name "bad" }}`, []string{"endpoints.*.bad"}},
		{"field of index", `{{ (index .Values.pod "replicas").bad }}`, []string{"pod.replicas.bad"}},
		{"variable of index", `{{ $x := index .Values.endpoints .name }}{{ $x.hosts.default }}{{ $x.bad }}`, []string{"endpoints.*.bad"}},
		{"picked", `{{ toYaml (pick .Values.pod "replicas" "bad") }}`, []string{"pod.bad"}},
		{"got", `{{ get .Values.pod "bad" }}{{ (get .Values.pod "replicas").worse }}`, []string{"pod.bad", "pod.replicas.worse"}},
		{"dug", `{{ dig "replicas" "bad" 1 .Values.pod }}{{ .Values | dig "bad" "" }}`, []string{"pod.replicas.bad", "bad"}},
		{"asked for", `{{ if hasKey .Values.pod "bad" }}{{ end }}`, []string{"pod.bad"}},
		{"plucked", `{{ pluck "bad" .Values.pod .Values.conf.free }}`, []string{"pod.bad"}},
		{"left of what is left out", `{{ (omit .Values.pod "replicas").bad }}`, []string{"pod.bad"}},
		{"copied", `{{ (deepCopy .Values.pod).bad }}{{ (.Values.pod | deepCopy).worse }}`, []string{"pod.bad", "pod.worse"}},
		{"merged", `{{ (merge dict .Values.pod).bad }}{{ (or .Values.pod dict).worse }}`, []string{"pod.bad", "pod.worse"}},
		{"below a scalar", `{{ .Values.pod.replicas.api.bad }}`, []string{"pod.replicas.api.bad"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, untracked := keysIn(t, test.text)
			if len(untracked) > 0 {
				t.Errorf("%q are not known", untracked)
			}
			unknown := slices.DeleteFunc(found, known.has)
			if !slices.Equal(unknown, test.want) {
				t.Errorf("unknown are %q, want %q", unknown, test.want)
			}
		})
	}
}

// TestUntrackedFunctions wants nobody to hide a key from TestTemplates behind a function.
func TestUntrackedFunctions(t *testing.T) {
	for text, want := range map[string][]string{
		`{{ fromYaml (tpl .Values.conf .) }}`: {"tpl"},
		`{{ .Values.pod | values | first }}`:  {"values"},
		`{{ values .Other }}{{ tpl "x" . }}`:  nil,

		`{{ (first (list .Values.pod)).bad }}`:                               {"list"},
		`{{ $d := dict "v" .Values }}{{ $d.v.bad }}`:                         {"dict"},
		`{{ (toYaml .Values.pod | fromYaml).bad }}`:                          {"toYaml"},
		`{{ range $k := list "bad" }}{{ index $.Values $k }}{{ end }}`:       {"index"},
		`{{ range list .Values.pod }}{{ .bad }}{{ end }}`:                    {"list"},
		`{{ range list .Values.pod .Values.conf }}{{ . | toYaml }}{{ end }}`: nil,
	} {
		if _, untracked := keysIn(t, text); !slices.Equal(untracked, want) {
			t.Errorf("%s: %q are not known, want %q", text, untracked, want)
		}
	}
}
