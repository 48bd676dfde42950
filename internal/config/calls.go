package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// modules reads all files, decodes them module by module, and leads every call to its module.
func (l *loader) modules(t *ownership) {
	if !t.read() {
		l.config.Partial = true
		l.fail(codeModule, hcl.Range{}, "no telling modules apart",
			"modules call each other from directories that are modules only as long as they are none, or are nested far too deep", "put every module into a directory of its own, outside of the others")
		return
	}
	if l.full { // making anything of it could take more than there is
		l.config.Partial = true
		return
	}
	byDir := map[string]*Module{t.root: &l.config.Module}
	for dir := range t.owners {
		if byDir[dir] == nil {
			m := newModule(dir)
			byDir[dir] = &m
		}
	}
	files := map[string][]string{}
	for _, name := range slices.Sorted(slices.Values(t.order)) {
		if t.bodies[name] != nil {
			files[t.owner(name)] = append(files[t.owner(name)], name)
		}
	}
	linker := &linker{l: l, files: t, byDir: byDir, state: map[*Module]visit{}, bad: map[*Call]bool{}}
	for dir, m := range byDir {
		if dir != t.root {
			linker.modules = append(linker.modules, m)
		}
	}
	slices.SortFunc(linker.modules, func(a, b *Module) int { return strings.Compare(a.Dir, b.Dir) })
	linker.modules = append([]*Module{&l.config.Module}, linker.modules...)
	for _, m := range linker.modules {
		l.module = m
		blocks := 0
		for _, name := range files[m.Dir] {
			blocks += len(t.bodies[name].Blocks)
		}
		m.defined = make(map[addr.Address]diag.Range, blocks) // nearly as many as it will hold
		for _, name := range files[m.Dir] {
			if len(l.diags) > l.limits.Errors {
				l.config.Partial = true
				break
			}
			l.now = l.fresh[name]
			l.file(t.bodies[name])
			for _, b := range l.tornBlocks[name] {
				l.torn(b)
			}
		}
	}
	l.now = nil
	linker.link()
	if !slices.ContainsFunc(linker.modules, misled) { // else it may be what such a call means
		l.uncalled(t, files[t.root])
	}
	l.module = &l.config.Module
}

// linker leads calls to modules.
type linker struct {
	l       *loader
	files   *ownership
	byDir   map[string]*Module
	modules []*Module // the root first
	state   map[*Module]visit
	path    []*Call // from where the search began to where it is
	bad     map[*Call]bool
}

type visit int

const (
	visiting visit = iota + 1
	visited
)

func (k *linker) link() {
	for _, m := range k.modules {
		for _, call := range m.Calls {
			k.resolve(m, call)
		}
	}
	for _, m := range k.modules {
		k.search(m)
	}
	for _, m := range k.modules {
		for _, call := range m.Calls {
			if k.bad[call] {
				call.Module = nil
			}
		}
	}
	k.repeat()
	for _, m := range k.modules {
		k.names(m)
	}
}

// resolve finds the module that a call means.
func (k *linker) resolve(m *Module, call *Call) {
	if call.source == nil {
		return // told as missing
	}
	dir, fault, hint := k.files.target(m.Dir, call.source)
	if fault != "" {
		k.fail(call, "no such module", fault, hint)
		return
	}
	call.Module = k.byDir[dir]
}

func (k *linker) fail(call *Call, summary, detail, hint string) {
	where := rangeOf(call.source.Expr.Range())
	k.l.add(diag.Diagnostic{Code: codeModule, Subject: &where, Context: &call.Range, Summary: summary, Detail: detail, Hint: hint})
}

// search goes down the calls and tells of those that lead back to where the search is. Every
// module is entered once, and the depth is bounded by the number of modules.
func (k *linker) search(m *Module) {
	if k.state[m] != 0 {
		return
	}
	k.state[m] = visiting
	for _, call := range m.Calls {
		if call.Module == nil {
			continue
		}
		k.path = append(k.path, call)
		if k.state[call.Module] == visiting {
			k.bad[call] = true
			k.cycle(m, call)
		} else {
			k.search(call.Module)
		}
		k.path = k.path[:len(k.path)-1]
	}
	k.state[m] = visited
}

func (k *linker) cycle(m *Module, last *Call) {
	from := last.Module
	start := 0 // where the search began, unless a call led there
	for i, call := range k.path[:len(k.path)-1] {
		if call.Module == from {
			start = i + 1
		}
	}
	dirs, places := []string{from.Dir}, []string{}
	for _, call := range k.path[start:] {
		dirs, places = append(dirs, call.Module.Dir), append(places, place(call.Range))
	}
	detail := "these directories call each other as modules, which would never end: " + Circle(dirs[:len(dirs)-1], places)
	if m == from {
		detail = fmt.Sprintf("the module in %s calls itself, which would never end", from.Dir)
	}
	k.fail(last, "modules in a circle", detail, "take one of the calls away, or lead its source to another directory")
}

// repeat notes which modules are called with for_each, directly or further up.
func (k *linker) repeat() {
	var mark func(m *Module)
	mark = func(m *Module) {
		if m.Repeated {
			return
		}
		m.Repeated = true
		for _, call := range m.Calls {
			if call.Module != nil {
				mark(call.Module)
			}
		}
	}
	for _, m := range k.modules {
		for _, call := range m.Calls {
			if call.Module != nil && call.ForEach != nil {
				mark(call.Module)
			}
		}
	}
}

// names wants a name of every resource in a module with several instances, as its label is the
// same in all of them.
func (k *linker) names(m *Module) {
	if !m.Repeated {
		return
	}
	for _, b := range m.Resources {
		name := b.Schema.Attribute("name")
		if b.ForEach != nil || name == nil || !name.FromLabel || b.Attribute("name") != nil || b.NameTold {
			continue
		}
		k.l.add(diag.Diagnostic{
			Code: codeMissingAttribute, Subject: &b.Range, Summary: "attribute is missing",
			Detail: "a module that is called with for_each makes this object several times, so it needs the attribute \"name\" to tell them apart",
			Hint:   fmt.Sprintf("give the module a variable and write, for example: name = \"%s-${var.name}\"", b.Label()),
		})
	}
}
