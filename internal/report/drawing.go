package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/graph"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// GraphFormat is a language that graphs are drawn from.
type GraphFormat string

// The formats.
const (
	GraphDOT     GraphFormat = "dot"     // of Graphviz
	GraphMermaid GraphFormat = "mermaid" // of Mermaid, which forges draw
)

// GraphFormats returns all formats.
func GraphFormats() []GraphFormat { return []GraphFormat{GraphDOT, GraphMermaid} }

// need is what an arrow of the graph says.
type need struct {
	until unit.Condition
	gate  unit.Gate
}

// Graph draws the units of a configuration, grouped by class. Arrows lead from what is needed to what
// needs it and are named after what must hold: it is installed, or it is ready. A dashed one lets the
// other end be installed meanwhile, and only not be called ready. What only holds back a deletion is
// not drawn. Equal units give equal texts. The error says that there is no such format.
func Graph(units []unit.Unit, format GraphFormat) (string, error) {
	g := graph.New[addr.Object, need](addr.Object.Compare)
	classes := map[addr.Object]unit.Class{}
	for i := range units {
		g.Add(units[i].Address)
		classes[units[i].Address] = units[i].Class
	}
	for i := range units {
		for _, e := range units[i].Edges {
			if e.Gate != unit.GateKeep && e.Until != unit.Gone && g.Has(e.To) {
				g.Connect(units[i].Address, e.To, need{e.Until, e.Gate})
			}
		}
	}
	d := drawing{g, classes}
	switch format {
	case GraphDOT:
		return d.dot(), nil
	case GraphMermaid:
		return d.mermaid(), nil
	default:
		return "", fmt.Errorf("there is no format %q for graphs", format)
	}
}

// drawing is a graph of units with the class of each.
type drawing struct {
	graph   *graph.Graph[addr.Object, need]
	classes map[addr.Object]unit.Class
}

// groups calls begin for each class that has units, and then node for each of these.
func (d drawing) groups(begin func(unit.Class), node func(i int, a addr.Object), end func()) {
	nodes := d.graph.Nodes()
	for _, class := range []unit.Class{unit.ClassSystem, unit.ClassInfrastructure, unit.ClassService, unit.ClassWorkload, unit.ClassNode, unit.ClassResource} {
		of := func(a addr.Object) bool { return d.classes[a] == class }
		if !slices.ContainsFunc(nodes, of) {
			continue
		}
		begin(class)
		for i, a := range nodes {
			if of(a) {
				node(i, a)
			}
		}
		end()
	}
}

func (d drawing) mermaid() string {
	var b strings.Builder
	b.WriteString("graph LR\n")
	index := map[addr.Object]int{}
	d.groups(
		func(class unit.Class) { fmt.Fprintf(&b, "  subgraph %s\n", class) },
		func(i int, a addr.Object) {
			index[a] = i
			fmt.Fprintf(&b, "    n%d[\"%s\"]\n", i, label(line(a.String(), nameText)))
		},
		func() { b.WriteString("  end\n") },
	)
	for _, e := range d.graph.Edges() {
		fmt.Fprintf(&b, "  n%d %s|%s| n%d\n", index[e.To], arrow(e.Edge.gate), e.Edge.until, index[e.From])
	}
	return b.String()
}

// arrow is how Mermaid draws an edge: dashed where only readiness depends on it.
func arrow(gate unit.Gate) string {
	if gate == unit.GateReady {
		return "-.->"
	}
	return "-->"
}

func (d drawing) dot() string {
	var b strings.Builder
	b.WriteString("digraph kupenstack {\n  rankdir = LR\n  node [shape = box]\n")
	d.groups(
		func(class unit.Class) {
			fmt.Fprintf(&b, "  subgraph cluster_%s {\n    label = %s\n", class, quoted(string(class)))
		},
		func(_ int, a addr.Object) { fmt.Fprintf(&b, "    %s\n", quoted(a.String())) },
		func() { b.WriteString("  }\n") },
	)
	for _, e := range d.graph.Edges() {
		style := ""
		if e.Edge.gate == unit.GateReady {
			style = ", style = dashed"
		}
		fmt.Fprintf(&b, "  %s -> %s [label = %s%s]\n", quoted(e.To.String()), quoted(e.From.String()), quoted(string(e.Edge.until)), style)
	}
	b.WriteString("}\n")
	return b.String()
}

// quoted returns a name as DOT has it, in quotes. A backslash would begin an escape of Graphviz's own.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(visible(s)) + `"`
}
