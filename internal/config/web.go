package config

import (
	"path"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// web is who refers to whom among the blocks at the top of the root, the locals there, and the modules,
// each by a number.
type web struct {
	index        map[addr.Address]int
	named        map[string][]int // by the last part of their names, and of those that statements name
	files        []string         // where each stands; "" for a module, which has several
	needs, users [][]int
	// layers are blocks that make settings of each other in other ways than by references. They
	// are few.
	layers  []bool
	calls   []int           // of modules, at the root
	modules map[string]int  // by directory, but for the root
	settled map[string]bool // files, of any module, with calls and statements
}

// strand is one thing in a web, with what it refers to.
type strand struct {
	address    addr.Address // nil for what nothing refers to
	file       string
	layer      bool
	references []Reference
	places     []*Place  // that it names
	modules    []*Module // that it calls
}

func (c *Config) web() *web {
	w := &web{
		index: make(map[addr.Address]int, len(c.defined)), named: make(map[string][]int, len(c.defined)),
		modules: map[string]int{}, settled: map[string]bool{},
	}
	strands := c.strands()
	for i, s := range strands {
		w.files, w.layers = append(w.files, s.file), append(w.layers, s.layer)
		if s.address != nil {
			w.index[s.address] = i
		}
		for _, p := range s.places {
			if p != nil {
				w.name(p.Address, i)
			}
		}
	}
	if c.Cloud != nil {
		for _, service := range c.Cloud.Nested("service") {
			if !service.Address.IsZero() {
				w.index[service.Address] = 0 // the cloud
			}
		}
	}
	for a, i := range w.index {
		w.name(a, i)
	}
	first := len(w.files)
	strands = append(strands, w.inside(&c.Module)...)
	w.needs, w.users = make([][]int, len(w.files)), make([][]int, len(w.files))
	for i, s := range strands {
		for _, r := range s.references {
			w.connect(i, r.Target)
		}
		for _, p := range s.places {
			if p != nil {
				w.connect(i, outermost(p.Address))
			}
		}
		for _, m := range s.modules {
			w.edge(i, w.modules[m.Dir])
		}
		if i < first && len(s.modules) > 0 {
			w.calls = append(w.calls, i)
		}
	}
	return w
}

// strands are what there is at the root, the cloud first.
func (c *Config) strands() []strand {
	var all []strand
	block := func(b *Block, layer bool) {
		s := strand{file: b.Range.File, layer: layer, references: b.references(nil)}
		if !b.Address.IsZero() {
			s.address = b.Address
		}
		all = append(all, s)
	}
	if c.Cloud != nil {
		block(c.Cloud, true)
	}
	for _, group := range [][]*Block{c.Profiles, c.Nodes} {
		for _, b := range group {
			block(b, true)
		}
	}
	for _, group := range [][]*Block{c.Resources, c.Data} {
		for _, b := range group {
			block(b, false)
		}
	}
	for _, v := range c.Variables {
		if a, err := addr.NewValue(addr.Module{}, addr.Variable, v.Label()); err == nil {
			all = append(all, strand{address: a, file: v.Range.File, layer: true})
		}
	}
	for _, l := range c.Locals {
		if a, err := addr.NewValue(addr.Module{}, addr.Local, l.Name); err == nil {
			all = append(all, strand{address: a, file: l.NameRange.File, references: l.References})
		}
	}
	for _, call := range c.Calls {
		s := strand{address: call.Name, file: call.Range.File, references: call.references(nil)}
		if call.Module != nil {
			s.modules = []*Module{call.Module}
		}
		all = append(all, s)
	}
	for _, group := range [][]*Statement{c.Moved, c.Imports, c.Removed, c.Suspended} {
		for _, statement := range group {
			s := strand{file: statement.Range.File, references: statement.references(nil), places: []*Place{statement.From, statement.To}}
			for _, a := range statement.Evaluated() {
				s.references = append(s.references, a.References...)
			}
			all = append(all, s)
		}
	}
	return all
}

// inside numbers the modules that are reached from one, and notes which files have calls and statements.
// It returns what each of them calls.
func (w *web) inside(m *Module) []strand {
	var all []strand
	for _, group := range [][]*Statement{m.Moved, m.Imports, m.Removed, m.Suspended} {
		for _, s := range group {
			w.settled[s.Range.File] = true
		}
	}
	for _, call := range m.Calls {
		w.settled[call.Range.File] = true
		inner := call.Module
		if inner == nil {
			continue
		}
		if _, known := w.modules[inner.Dir]; known {
			continue
		}
		w.modules[inner.Dir] = len(w.files)
		w.files, w.layers = append(w.files, ""), append(w.layers, false)
		s := strand{}
		for _, further := range inner.Calls {
			if further.Module != nil {
				s.modules = append(s.modules, further.Module)
			}
		}
		all = append(all, s)
		all = append(all, w.inside(inner)...)
	}
	return all
}

func (w *web) name(a addr.Address, i int) {
	if name := nameOf(outermost(a)); name != "" {
		w.named[name] = append(w.named[name], i)
	}
}

// connect notes that one thing refers to what an address names, if that is in the web.
func (w *web) connect(from int, to addr.Address) {
	switch a := to.(type) {
	case addr.Object:
		to = a.Block()
	case addr.Module:
		to = a.Call()
	}
	if i, known := w.index[to]; known && to != nil {
		w.edge(from, i)
	}
}

func (w *web) edge(from, to int) {
	w.needs[from] = append(w.needs[from], to)
	w.users[to] = append(w.users[to], from)
}

// owner returns the directory of the module that a file belongs to, which is in modules unless it is that
// of the root.
func (w *web) owner(file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if _, is := w.modules[dir]; is || dir == "." || dir == "/" {
			return dir
		}
	}
}

// outermost is what stands at the root of what an address leads to: the call of a module, or the block.
func outermost(a addr.Address) addr.Address {
	var way addr.Module
	switch a := a.(type) {
	case addr.Object:
		if way = a.Module(); way.IsRoot() {
			return a.Block()
		}
	case addr.Module:
		way = a
	default:
		return a
	}
	first, err := addr.Module{}.Child(way.Steps()[0].Name, addr.Key{})
	if err != nil {
		return nil // the name was one before
	}
	return first
}
