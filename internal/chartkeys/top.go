package chartkeys

import (
	"slices"
	"text/template/parse"
)

// top is what templates read at the top of the values, as far as the values can be followed as a whole: by the name Values
// that they have, and through variables of one template that hold them or copies of them.
type top struct {
	names map[string]bool // that are read otherwise than as .Values.name
	lost  bool            // the values are handed on as a whole to where they cannot be followed
}

// readsAtTop tells whether a key may be read at the top of the values. Where they are lost, any read of its name may be that.
func (r *reads) readsAtTop(key string, lost bool) bool {
	if lost {
		return r.reads(nil, key)
	}
	return r.top.names[key] || r.absolute[key]
}

// tree learns from a template.
func (t *top) tree(root *parse.ListNode) {
	f := &follower{top: t, assigned: map[string]bool{}}
	for before := -1; len(f.assigned) > before; { // a loop may use what it assigns further below
		before = len(f.assigned)
		f.within(func() { f.list(root) })
	}
}

// follower follows the values through one template.
type follower struct {
	*top
	scopes   []map[string]bool // the variables of each block, and whether they hold the values as a whole, or a map with them
	assigned map[string]bool   // variables that are given such a thing later on, whichever of that name they are
}

// within visits a block, which has variables of its own.
func (f *follower) within(visit func()) {
	f.scopes = append(f.scopes, map[string]bool{})
	visit()
	f.scopes = f.scopes[:len(f.scopes)-1]
}

// holds tells whether a variable holds the values.
func (f *follower) holds(variable string) bool {
	for _, scope := range slices.Backward(f.scopes) {
		if whole, known := scope[variable]; known {
			return whole || f.assigned[variable]
		}
	}
	return f.assigned[variable]
}

func (f *follower) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			f.statement(n.Pipe)
		case *parse.TemplateNode:
			f.statement(n.Pipe)
		case *parse.IfNode:
			f.branch(&n.BranchNode, false)
		case *parse.RangeNode:
			f.branch(&n.BranchNode, true)
		case *parse.WithNode:
			f.branch(&n.BranchNode, true)
		}
	}
}

// branch loses what becomes the dot.
func (f *follower) branch(n *parse.BranchNode, dot bool) {
	f.within(func() {
		if f.pipe(n.Pipe) && dot {
			f.lost = true
		}
		f.within(func() { f.list(n.List) })
		f.within(func() { f.list(n.ElseList) })
	})
}

// statement loses what is written out or handed to a template.
func (f *follower) statement(pipe *parse.PipeNode) {
	if f.pipe(pipe) && len(pipe.Decl) == 0 {
		f.lost = true
	}
}

// pipe tells whether what comes out of a pipeline may have the values in it.
func (f *follower) pipe(pipe *parse.PipeNode) bool {
	if pipe == nil {
		return false
	}
	whole := false
	for i, command := range pipe.Cmds {
		whole = f.command(command, i > 0, whole)
	}
	for _, variable := range pipe.Decl {
		switch {
		case !pipe.IsAssign:
			f.scopes[len(f.scopes)-1][variable.Ident[0]] = whole
		case whole:
			f.assigned[variable.Ident[0]] = true
		}
	}
	return whole
}

// command tells whether what comes out of a command may have the values in it. What is piped into it comes last.
func (f *follower) command(command *parse.CommandNode, piped, whole bool) bool {
	function, called := command.Args[0].(*parse.IdentifierNode)
	if !called {
		for _, arg := range command.Args {
			whole = f.value(arg) || whole
			f.lost = f.lost || isValues(arg) // a name that may lead to them from anywhere
		}
		return whole
	}
	args := command.Args[1:]
	wholes := make([]bool, 0, len(args)+1)
	for _, arg := range args {
		wholes = append(wholes, f.value(arg))
	}
	if piped {
		args, wholes = append(slices.Clone(args), nil), append(wholes, whole)
	}
	if slices.ContainsFunc(args, isValues) {
		switch function.Ident {
		case "index", "get":
			return f.below(args[slices.IndexFunc(args, isValues)+1:])
		case "hasKey", "omit", "unset", "set", "dict":
		default:
			f.lost = true
		}
	}
	if !slices.Contains(wholes, true) {
		return false
	}
	switch function.Ident {
	case "index", "get", "hasKey":
		return f.lookup(args, wholes)
	case "and", "or", "not", "empty", "omit", "unset", "toYaml", "fromYaml", "toJson", "fromJson", "deepCopy", "mustDeepCopy":
		return true
	case "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite":
		f.lost = f.lost || !wholes[0] // the first map gets what the others have, and it may be known under other names
		return true
	case "set":
		f.lost = f.lost || !wholes[0] && !isValues(args[min(1, len(args)-1)])
		return wholes[0]
	case "dict":
		for i, is := range wholes {
			if is && (i == 0 || !isValues(args[i-1])) {
				return true
			}
		}
		return false
	default:
		f.lost = true
		return false
	}
}

// below learns what a look into something by the name of the values, and further names, reads. Without these it is the values.
func (f *follower) below(further []parse.Node) bool {
	if len(further) == 0 {
		return true
	}
	name, literal := further[0].(*parse.StringNode)
	if literal {
		f.names[name.Text] = true
	}
	f.lost = f.lost || !literal
	return false
}

// lookup learns from a look into the values by a name. What is found in a map that has the values in it may be these.
func (f *follower) lookup(args []parse.Node, wholes []bool) bool {
	if len(args) < 2 || slices.Contains(wholes[1:], true) {
		f.lost = true
		return false
	}
	for _, arg := range args[1:] {
		name, literal := arg.(*parse.StringNode)
		if !literal {
			f.lost = true
			return false
		}
		f.names[name.Text] = true
		if named(args[0]) {
			return false // what follows is further inside
		}
	}
	return true
}

// value tells whether something may have the values in it.
func (f *follower) value(node parse.Node) bool {
	switch n := node.(type) {
	case *parse.PipeNode:
		return f.pipe(n)
	case *parse.FieldNode:
		return isWhole(n.Ident)
	case *parse.ChainNode:
		return f.fields(f.value(n.Node), n.Field)
	case *parse.VariableNode:
		return f.fields(f.holds(n.Ident[0]), n.Ident[1:])
	default:
		return false
	}
}

// fields learns the names that are read of something: of a map with the values in it, any of them may be at their top.
func (f *follower) fields(whole bool, names []string) bool {
	if isWhole(names) || whole && len(names) == 0 {
		return true
	}
	if whole && !slices.Contains(names, "Values") {
		for _, name := range names {
			f.names[name] = true
		}
		return true
	}
	return false
}

// named tells whether something is the values by their name.
func named(node parse.Node) bool {
	if chain, ok := node.(*parse.ChainNode); ok {
		return isWhole(chain.Field)
	}
	names, ok := chainOf(node)
	return ok && isWhole(names)
}

func isWhole(names []string) bool { return len(names) > 0 && names[len(names)-1] == "Values" }

func isValues(node parse.Node) bool {
	name, literal := node.(*parse.StringNode)
	return literal && name.Text == "Values"
}
