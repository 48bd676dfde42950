package chartkeys

import (
	"regexp"
	"slices"
	"strings"
	"text/template/parse"
)

// reads is what templates do with values. Paths that begin at the values are absolute; others are relative
// to a map that is not known, such as the one that with chose or a variable holds.
type reads struct {
	absolute map[string]bool       // paths that are read
	relative map[string][][]string // the names before a name that is read
	literals map[string]bool       // texts, each of which may be the name of a key
	handed   []use                 // maps that are used as a whole
	computed []use                 // maps that are looked into for a computed name
	written  []writing             // maps that the library writes out
	top      *top
	names    map[string]bool // texts, each of which may be the name of a template, or what one is put together of
	begins   map[string]bool // what names begin with that are put together
	followed map[string]bool // the templates of a library that something leads to
}

// use is a path to a map, the whole of it or only its end.
type use struct {
	path     []string
	absolute bool
}

// writing is an absolute path to a map of which all keys are written out, and how deep.
type writing struct {
	path []string
	deep int
}

func newReads() *reads {
	return &reads{
		absolute: map[string]bool{}, relative: map[string][][]string{}, literals: map[string]bool{}, top: &top{names: map[string]bool{}},
		names: map[string]bool{}, begins: map[string]bool{}, followed: map[string]bool{},
	}
}

// template learns from the text of a template.
func (r *reads) template(name, text string) error {
	trees, err := treesOf(name, text)
	for _, tree := range trees {
		r.learn(tree)
	}
	return err
}

// treesOf returns a template and those that it defines, by name.
func treesOf(name, text string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", trees); err != nil {
		return nil, err
	}
	return trees, nil
}

func (r *reads) learn(tree *parse.Tree) {
	if tree.Root != nil {
		r.node(tree.Root)
		r.top.tree(tree.Root)
	}
}

// templateName finds what may be the name of a template.
var templateName = regexp.MustCompile(`[^\s"'` + "`" + `{}()%]+`)

var word = regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_-]*`)

// text learns from a text that may be a template, and tells whether it is a whole one, or none.
func (r *reads) text(text string) bool {
	if !strings.Contains(text, "{{") || r.template("text", text) == nil {
		return true
	}
	for _, name := range word.FindAllString(text, -1) {
		r.literals[name], r.top.names[name] = true, true
	}
	for _, name := range templateName.FindAllString(text, -1) {
		r.names[name] = true
	}
	return false
}

// texts learns from all texts in values.
func (r *reads) texts(values any) {
	switch v := values.(type) {
	case string:
		r.text(v)
		r.leads(v)
	case []any:
		for _, element := range v {
			r.texts(element)
		}
	case map[string]any:
		for key, element := range v {
			r.text(key)
			r.texts(element)
		}
	}
}

func (r *reads) node(node parse.Node) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, inner := range n.Nodes {
				r.node(inner)
			}
		}
	case *parse.ActionNode:
		r.pipe(n.Pipe, false)
	case *parse.TemplateNode:
		r.names[n.Name] = true
		r.pipe(n.Pipe, false)
	case *parse.IfNode:
		r.branch(&n.BranchNode, true)
	case *parse.RangeNode:
		r.branch(&n.BranchNode, false)
	case *parse.WithNode:
		r.branch(&n.BranchNode, false)
	}
}

func (r *reads) branch(n *parse.BranchNode, asked bool) {
	r.pipe(n.Pipe, asked)
	r.node(n.List)
	r.node(n.ElseList)
}

// pipe learns from a pipeline. Of one that is only asked whether it is true nothing else matters.
func (r *reads) pipe(pipe *parse.PipeNode, asked bool) {
	if pipe == nil {
		return
	}
	for _, command := range pipe.Cmds {
		r.command(command, asked && len(pipe.Cmds) == 1 && len(pipe.Decl) == 0)
	}
}

func (r *reads) command(command *parse.CommandNode, asked bool) {
	args := command.Args
	function, called := args[0].(*parse.IdentifierNode)
	if !called {
		for _, arg := range args {
			r.argument(arg, asked)
		}
		return
	}
	args = args[1:]
	switch function.Ident {
	case "index", "get", "hasKey":
		r.lookup(args, function.Ident == "hasKey" || asked)
	case "and", "or", "not", "empty":
		for _, arg := range args {
			r.argument(arg, asked || function.Ident == "not" || function.Ident == "empty")
		}
	default:
		if function.Ident == "include" {
			r.writesOut(args)
		}
		for _, arg := range args {
			r.argument(arg, false)
		}
	}
}

// writesOut learns of a map that is handed to what writes out all of it.
func (r *reads) writesOut(args []parse.Node) {
	if len(args) != 2 {
		return
	}
	name, literal := args[0].(*parse.StringNode)
	chain, ok := chainOf(args[1])
	if u := useOf(chain); literal && ok && u.absolute && len(u.path) > 0 && writers()[name.Text] > 0 {
		r.written = append(r.written, writing{u.path, writers()[name.Text]})
	}
}

// lookup learns from a look into a map by names.
func (r *reads) lookup(args []parse.Node, asked bool) {
	if len(args) == 0 {
		return
	}
	chain, ok := chainOf(args[0])
	switch n := args[0].(type) {
	case *parse.DotNode:
		ok = true
	case *parse.VariableNode:
		ok = ok || len(n.Ident) == 1
	default:
		r.argument(n, ok)
	}
	for i, arg := range args[1:] {
		name, literal := arg.(*parse.StringNode)
		if !literal {
			if ok {
				r.chain(chain, true)
				r.computed = append(r.computed, useOf(chain))
			}
			for _, rest := range args[1+i:] {
				r.argument(rest, true)
			}
			return
		}
		r.literal(name)
		chain = append(slices.Clone(chain), name.Text)
	}
	if ok {
		r.chain(chain, asked || len(args) == 1)
	}
}

func (r *reads) argument(arg parse.Node, asked bool) {
	switch n := arg.(type) {
	case *parse.PipeNode:
		r.pipe(n, asked)
	case *parse.StringNode:
		r.literal(n)
	case *parse.ChainNode:
		r.argument(n.Node, false)
		r.chain(n.Field, asked)
	default:
		if chain, ok := chainOf(arg); ok {
			r.chain(chain, asked)
		}
	}
}

func (r *reads) literal(n *parse.StringNode) {
	r.literals[n.Text] = true
	r.leads(n.Text)
	if !r.text(n.Text) && strings.Contains(n.Text, ".Values") { // it gets the name of a key at another place
		r.top.lost = true
	}
}

// chainOf returns the names that a node leads through, without a variable's own; false where there are none.
func chainOf(node parse.Node) ([]string, bool) {
	switch n := node.(type) {
	case *parse.FieldNode:
		return n.Ident, true
	case *parse.VariableNode:
		return n.Ident[1:], len(n.Ident) > 1
	default:
		return nil, false
	}
}

// chain learns that names are read one inside the other, and of the last that it is used as a whole unless it
// is only asked for.
func (r *reads) chain(names []string, asked bool) {
	u := useOf(names)
	if !asked {
		r.handed = append(r.handed, u)
	}
	for i, name := range u.path {
		if u.absolute {
			r.absolute[joined(u.path[:i+1])] = true
		} else {
			r.relative[name] = append(r.relative[name], u.path[:i])
		}
	}
}

// useOf finds where in a chain the values begin.
func useOf(names []string) use {
	if i := slices.Index(names, "Values"); i >= 0 {
		return use{names[i+1:], true}
	}
	return use{names, false}
}

// separator is between the names of a path.
const separator = "\x00"

func joined(path []string) string { return strings.Join(path, separator) }

// reads tells whether a key of a map may be read.
func (r *reads) reads(at []string, key string) bool {
	if r.literals[key] || r.absolute[joined(append(slices.Clone(at), key))] {
		return true
	}
	return slices.ContainsFunc(r.relative[key], func(before []string) bool { return overlap(at, before) })
}

// covers tells whether one of the uses may be of a map or of one around it, of which the path has at least so
// many names, and so many where the use is a relative one.
func covers(uses []use, at []string, least, relative int) bool {
	return slices.ContainsFunc(uses, func(u use) bool {
		for depth := len(at); depth >= least; depth-- {
			around := at[:depth]
			if u.absolute && slices.Equal(u.path, around) || !u.absolute && len(u.path) > 0 && depth >= relative && overlap(around, u.path) {
				return true
			}
		}
		return false
	})
}

// overlap tells whether a path and a relative one may lead to the same: the other one may begin further inside, or
// further outside where the values are a part of something else.
func overlap(path, relative []string) bool {
	n := min(len(path), len(relative))
	return slices.Equal(path[len(path)-n:], relative[len(relative)-n:])
}
