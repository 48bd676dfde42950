package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// The files with values for variables that are read by themselves, in the configuration's directory.
const (
	valuesFile      = "kupenstack.hclvars"
	valuesExtension = ".auto.hclvars"

	maxValues     = 10_000  // values in all files together
	maxValueBytes = 1 << 20 // bytes of all these files
)

// Given is what somebody outside of the repository says about the values of variables: one value, or
// a file of the repository that holds some.
type Given struct {
	Name, Text string // a variable and its value as text
	File       string // or a file, by its path from the configuration's directory
	Origin     string // how a person finds it: --var site, KUPENSTACK_VAR_site
	// Environment says that it comes from there: everything else counts more, and it may be meant
	// for another configuration that has such a variable.
	Environment bool
}

// Value is a value for a variable, before the variable's type is known.
type Value struct {
	Name string
	// Attribute is set for a value from a file. Its expression has no references, and charges the
	// budget.
	Attribute *Attribute
	// Given is set for a value that is a text.
	Given *Given
}

// LoadValues notes in a configuration what its variables are given: by the environment, by
// kupenstack.hclvars and *.auto.hclvars in its directory, and by given files and values in their
// order. Of several values for one variable the last counts.
func LoadValues(cfg *Config, given []Given, limits Limits) diag.Diagnostics {
	l := &loader{limits: limits, sources: cfg.sources, config: cfg, tornBlocks: map[string][]*hclsyntax.Block{}}
	v := &values{loader: l, cfg: cfg}
	for i := range given {
		if given[i].Environment {
			v.list = append(v.list, Value{Name: given[i].Name, Given: &given[i]})
		}
	}
	for _, name := range v.automatic() {
		v.file(name, "")
	}
	for i := range given {
		switch g := &given[i]; {
		case g.Environment:
		case g.File != "":
			v.given(g)
		default:
			v.list = append(v.list, Value{Name: g.Name, Given: g})
		}
	}
	cfg.Values = v.list
	if l.diags.HasErrors() {
		cfg.Faulty, cfg.ValuesPartial = true, true
	}
	return l.diags
}

type values struct {
	loader *loader
	cfg    *Config
	list   []Value
}

// automatic returns the files that are read by themselves, in their order.
func (v *values) automatic() []string {
	entries, err := fs.ReadDir(v.cfg.Tree, v.cfg.Dir)
	if err != nil {
		return nil // Load has told
	}
	var first, others []string
	for _, entry := range entries { // in order
		switch name := path.Join(v.cfg.Dir, entry.Name()); {
		case entry.IsDir() || strings.HasPrefix(entry.Name(), "."):
		case entry.Name() == valuesFile, entry.Name() == valuesFile+inJSON:
			first = append(first, name)
		case strings.HasSuffix(entry.Name(), valuesExtension), strings.HasSuffix(entry.Name(), valuesExtension+inJSON):
			others = append(others, name)
		}
	}
	return slices.Concat(first, others)
}

// given reads a file that a flag names.
func (v *values) given(g *Given) {
	name, err := Within(v.cfg.Dir, g.File)
	if err != nil {
		v.loader.add(diag.Diagnostic{
			Code: codeFiles, Summary: "file cannot be read", Detail: fmt.Sprintf("%s: %v", g.Origin, err),
			Hint: "the file lies in the repository, and its path begins at the configuration's directory",
		})
		return
	}
	v.file(name, g.Origin)
}

// file reads a file of attributes, each the value of the variable of that name.
func (v *values) file(name, origin string) {
	l := v.loader
	src, err := ReadWithin(v.cfg.Tree, name, l.limits.FileBytes)
	if err != nil {
		d := diag.Diagnostic{Code: codeFiles, Summary: "file cannot be read", Detail: err.Error(), Hint: "make it a plain file that is not larger, or take it away"}
		if origin != "" {
			d.Detail = fmt.Sprintf("%s: %v", origin, err)
			d.Hint = "the file lies in the repository, and its path begins at the configuration's directory"
		}
		l.add(d)
		return
	}
	if path.Ext(name) == inJSON {
		l.fail(codeFiles, startOf(name), "file in JSON", "only HCL's native syntax is read, and this file has the name of one in JSON", "write a line for each value, as in: region = \"RegionOne\", into a file whose name ends with .hclvars")
		return
	}
	if l.bytes += int64(len(src)); l.bytes > maxValueBytes {
		if l.bytes-int64(len(src)) <= maxValueBytes {
			l.fail(codeLimit, startOf(name), "too many values", fmt.Sprintf("all files with values together can have at most %d bytes; this one and those after it are left out", maxValueBytes), "keep in them what differs between clouds, and read large texts from files of their own")
		}
		return
	}
	l.sources[name] = src
	// A mistake in the file may stand in the line of a secret.
	found := len(l.diags)
	defer func() {
		if v.anySensitive() {
			for i := range l.diags[found:] {
				l.diags[found+i].HideSource = true
			}
		}
	}()
	body, mistakes := l.parseAll(src, name)
	if body == nil {
		return
	}
	if len(mistakes) > 0 {
		body = l.salvage(src, name, body, mistakes, beginsAttribute)
	}
	for _, b := range body.Blocks {
		l.fail(codeUnknownBlock, headerRange(b), "block among values", fmt.Sprintf("a file with values has attributes only, and %s is a block", b.Type),
			fmt.Sprintf("to give a map or an object, write: %s = { … }", b.Type))
	}
	for _, a := range ordered(body.Attributes) {
		if len(v.list) >= maxValues {
			l.fail(codeLimit, a.NameRange, "too many values", fmt.Sprintf("variables can be given at most %d values; those from here on are left out", maxValues), "give maps or lists instead of many single values")
			return
		}
		decoded := &Attribute{Name: a.Name, NameRange: rangeOf(a.NameRange), Range: rangeOf(a.Expr.Range())}
		decoded.Strays = l.plain(a.Expr, v.sensitive(a.Name))
		decoded.Broken = len(decoded.Strays) > 0 || l.hasHuge(a.Expr)
		decoded.Expr = Expression{meter(a.Expr)}
		v.list = append(v.list, Value{Name: a.Name, Attribute: decoded})
	}
}

// plain returns the first names of what an expression refers to, which can be nothing. Of a secret nothing
// is quoted.
func (l *loader) plain(e hclsyntax.Expression, secret bool) []string {
	var strays []string
	for _, traversal := range e.Variables() {
		strays = append(strays, traversal.RootName())
		hint := "text is written in quotes"
		if !secret {
			hint = hintForText(traversal)
		}
		l.fail(codeReference, traversal.SourceRange(), "reference in a value", "the value of a variable is written as it is, and refers to nothing", hint)
	}
	return strays
}

func hintForText(t hcl.Traversal) string {
	if len(t) == 1 {
		return fmt.Sprintf("text is written in quotes: %q", t.RootName())
	}
	return "what is made from other values is a local of the configuration"
}

func (v *values) anySensitive() bool {
	return slices.ContainsFunc(v.cfg.Variables, func(b *Block) bool { return b.Attribute("sensitive") != nil })
}

// sensitive tells whether a variable may be a secret; one that is misspelt may be, too.
func (v *values) sensitive(name string) bool {
	for _, b := range v.cfg.Variables {
		if b.Label() == name {
			return b.Attribute("sensitive") != nil
		}
	}
	return v.anySensitive()
}

var errReference = errors.New("the value of a variable refers to nothing; text within it is written in quotes")

// ParseValue reads a value that is given as text. It has no references, and charges the budget. The
// error quotes nothing of it.
func ParseValue(text string, limits Limits) (Expression, error) {
	e, err := parseExpression(text, "value", limits)
	if err != nil {
		return Expression{}, err
	}
	if traversals := e.Variables(); len(traversals) > 0 {
		return Expression{}, errReference
	}
	return Expression{meter(e)}, nil
}

// parseExpression reads one expression that is no part of a file, behind the same guards.
func parseExpression(text, name string, limits Limits) (hclsyntax.Expression, error) {
	src := []byte(text)
	if int64(len(src)) > limits.FileBytes {
		return nil, fmt.Errorf("it can have at most %d bytes", limits.FileBytes)
	}
	if _, bad := notText(src, name); bad {
		return nil, errors.New("it has bytes that are not text in UTF-8")
	}
	tokens, _ := hclsyntax.LexExpression(src, name, hcl.InitialPos) // the parser tells again
	if found := guardTokens(tokens, limits); found != nil {
		return nil, fmt.Errorf("there can be at most %d %s", found.limit, found.what)
	}
	e, diags := hclsyntax.ParseExpression(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, errors.New(said(diags))
	}
	return e, nil
}
