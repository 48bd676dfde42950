package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Above these the graph would be no help, and forges would not draw it.
const (
	maxGraphNodes = 60
	maxGraphEdges = 300
)

// vertex is a node of the graph: a unit, or a group of units when there are too many.
type vertex struct {
	text  string
	phase engine.Phase
	count int
	ready int
}

// mermaid returns the graph of the units, coloured by phase.
func mermaid(d *document) string {
	grouped := len(d.Units) > maxGraphNodes
	index := map[string]int{} // of vertices, by what they stand for
	var vertices []vertex
	of := map[string]int{} // of vertices, by the units' addresses
	leftOut := 0
	for i := range d.Units {
		u := &d.Units[i]
		key := u.Address
		if grouped {
			key = group(u)
		}
		v, ok := index[key]
		if !ok && len(vertices) == maxGraphNodes {
			leftOut++
			continue
		}
		if !ok {
			v = len(vertices)
			index[key] = v
			vertices = append(vertices, vertex{text: key, phase: u.Phase})
		}
		vertices[v].add(u.Phase)
		of[u.Address] = v
	}
	var b strings.Builder
	b.WriteString("graph LR\n")
	for i, v := range vertices {
		fmt.Fprintf(&b, "  n%d[\"%s<br/>%s\"]:::%s\n", i, label(cut(v.text, 60)), v.state(), v.phase)
	}
	edges(&b, d, of)
	if leftOut > 0 {
		fmt.Fprintf(&b, "  more[\"and %d more units\"]\n", leftOut)
	}
	for _, phase := range phases() {
		if slices.ContainsFunc(vertices, func(v vertex) bool { return v.phase == phase }) {
			fmt.Fprintf(&b, "  classDef %s %s\n", phase, style(phase))
		}
	}
	return b.String()
}

// group names what a unit is drawn as when there are too many for one each: services by
// themselves, anything else by its kind.
func group(u *unitDoc) string {
	switch u.Class {
	case unit.ClassService, unit.ClassInfrastructure:
		return u.Address
	case unit.ClassNode:
		return "nodes"
	case unit.ClassSystem:
		return "system"
	default:
		return u.Kind
	}
}

// add counts a unit; the gravest phase of a group is the group's.
func (v *vertex) add(phase engine.Phase) {
	v.count++
	if phase == engine.PhaseReady {
		v.ready++
	}
	if slices.Index(phases(), phase) < slices.Index(phases(), v.phase) {
		v.phase = phase
	}
}

// state is what is written below the name.
func (v *vertex) state() string {
	if v.count == 1 {
		return string(v.phase)
	}
	return fmt.Sprintf("%d of %d ready", v.ready, v.count)
}

// edges writes the arrows, from what is needed to what needs it; dotted where only readiness
// depends on it.
func edges(b *strings.Builder, d *document, of map[string]int) {
	type pair struct{ from, to int }
	gates := map[pair]unit.Gate{}
	var pairs []pair
	for i := range d.Units {
		u := &d.Units[i]
		to, ok := of[u.Address]
		if !ok {
			continue
		}
		for _, e := range u.status.Edges {
			from, ok := of[addressText(e.To)]
			p := pair{from, to}
			if !ok || from == to || e.Gate == unit.GateKeep {
				continue
			}
			if gate, known := gates[p]; !known {
				gates[p] = e.Gate
				pairs = append(pairs, p)
			} else if gate == unit.GateReady {
				gates[p] = e.Gate
			}
		}
	}
	for i, p := range pairs {
		if i == maxGraphEdges {
			fmt.Fprintf(b, "  %%%% %d more arrows are not drawn\n", len(pairs)-i)
			return
		}
		fmt.Fprintf(b, "  n%d %s n%d\n", p.from, arrow(gates[p]), p.to)
	}
}

// style is how nodes of a phase look; the colours can be told apart on light and dark pages.
func style(phase engine.Phase) string {
	switch phase {
	case engine.PhaseReady:
		return "fill:#1a7f37,stroke:#0f5323,color:#ffffff"
	case engine.PhaseReconciling, engine.PhaseProgressing:
		return "fill:#0969da,stroke:#0a3069,color:#ffffff"
	case engine.PhaseFailed:
		return "fill:#cf222e,stroke:#82071e,color:#ffffff"
	case engine.PhaseBlocked:
		return "fill:#bc4c00,stroke:#762c00,color:#ffffff"
	case engine.PhaseSuspended:
		return "fill:#9a6700,stroke:#633c01,color:#ffffff"
	case engine.PhaseDeleting:
		return "fill:#8250df,stroke:#512a97,color:#ffffff"
	default:
		return "fill:#6e7781,stroke:#424a53,color:#ffffff"
	}
}
