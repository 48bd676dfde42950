package graph_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/graph"
)

type edgeKind uint8

const (
	installed edgeKind = iota
	ready
)

type testGraph = graph.Graph[string, edgeKind]

// build makes a graph from lines such as "b: a c", meaning that b depends on a and c.
func build(lines ...string) *testGraph {
	g := graph.New[string, edgeKind](strings.Compare)
	for _, line := range lines {
		from, to, _ := strings.Cut(line, ":")
		g.Add(from)
		for _, to := range strings.Fields(to) {
			g.Connect(from, to, ready)
		}
	}
	return g
}

func join(nodes []string) string { return strings.Join(nodes, " ") }

func TestNodesAndEdgesAreSortedAndUnique(t *testing.T) {
	g := build("c", "b: a", "b", "a")
	g.Connect("c", "a", ready)
	g.Connect("b", "a", installed)
	g.Connect("b", "a", ready)
	g.Connect("b", "0", ready)
	if got := join(g.Nodes()); got != "0 a b c" || g.Len() != 4 {
		t.Errorf("nodes are %s", got)
	}
	want := []graph.Edge[string, edgeKind]{{"b", "0", ready}, {"b", "a", ready}, {"b", "a", installed}, {"c", "a", ready}}
	if got := g.Edges(); !slices.Equal(got, want) {
		t.Errorf("edges are %v, want %v", got, want)
	}
	if got := g.DependsOn("b"); !slices.Equal(got, want[:3]) {
		t.Errorf("b depends on %v", got)
	}
	if got := g.NeededBy("a"); !slices.Equal(got, want[1:]) {
		t.Errorf("a is needed by %v", got)
	}
	if g.DependsOn("x") != nil || g.NeededBy("x") != nil || g.Has("x") || !g.Has("0") {
		t.Error("the graph has x, or has no 0")
	}
}

func TestReachability(t *testing.T) {
	g := build("nova: keystone neutron", "neutron: keystone", "keystone: mariadb", "glance: keystone", "mariadb", "other")
	tests := []struct {
		got  []string
		want string
	}{
		{g.Dependencies("nova"), "keystone mariadb neutron"},
		{g.Dependencies("mariadb"), ""},
		{g.Dependents("keystone"), "glance neutron nova"},
		{g.Dependents("other"), ""},
		{g.Dependents("neutron", "glance"), "nova"},
		{g.Dependencies("nova", "neutron"), "keystone mariadb"},
		{g.Dependencies("unknown"), ""},
		{g.Reverse().Dependencies("keystone"), "glance neutron nova"},
		{build("a: b", "b: c", "c: a").Dependencies("a"), "b c"},
	}
	for i, tt := range tests {
		if got := join(tt.got); got != tt.want {
			t.Errorf("%d: got %q, want %q", i, got, tt.want)
		}
	}
}

func TestOrder(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"empty", nil, ""},
		{"unconnected nodes by name", []string{"c", "a", "b"}, "a b c"},
		{"dependencies first", []string{"a: z", "z: m", "m"}, "m z a"},
		{"first possible first", []string{"a: c", "b", "c", "d"}, "b c a d"},
		{"diamond", []string{"top: left right", "left: base", "right: base"}, "base left right top"},
	}
	for _, tt := range tests {
		got, err := build(tt.lines...).Order()
		if err != nil || join(got) != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.name, join(got), err, tt.want)
		}
		slices.Reverse(tt.lines)
		if got, _ := build(tt.lines...).Order(); join(got) != tt.want {
			t.Errorf("%s, built backwards: %s, want %s", tt.name, join(got), tt.want)
		}
	}
	reversed, err := build("top: left right", "left: base", "right: base").Reverse().Order()
	if err != nil || join(reversed) != "top left right base" {
		t.Errorf("reversed: %s, %v", join(reversed), err)
	}
}

func TestFilterDropsEdgesOnly(t *testing.T) {
	g := build("neutron: nova")
	g.Connect("nova", "neutron", installed)
	if _, err := g.Order(); err == nil {
		t.Error("a cycle has an order")
	}
	filtered := g.Filter(func(e graph.Edge[string, edgeKind]) bool { return e.Edge == installed })
	got, err := filtered.Order()
	if err != nil || join(got) != "neutron nova" {
		t.Errorf("the filtered order is %s, %v", join(got), err)
	}
	if len(g.Edges()) != 2 || len(filtered.NeededBy("nova")) != 0 {
		t.Error("filtering changed the graph, or left an edge")
	}
}

func TestCycles(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"none", []string{"a: b", "b: c"}, ""},
		{"itself", []string{"a: a", "b: a"}, "a"},
		{"two", []string{"b: a", "a: b"}, "a b"},
		{"begins with its first node", []string{"c: b", "b: z", "z: c"}, "b z c"},
		{"what leads in or out is left out", []string{"0: a", "a: b", "b: a x", "x: y"}, "a b"},
		{"shortest of a knot", []string{"a: b", "b: c", "c: d", "d: a", "c: b"}, "b c"},
		{"two apart", []string{"a: b", "b: a", "x: y", "y: z", "z: x"}, "a b; x y z"},
		{"two in a knot", []string{"a: b", "b: a x", "x: y", "y: x a"}, "a b; x y"},
		{"sharing a node is one mistake", []string{"a: m", "m: a b", "b: m"}, "a m"},
	}
	for _, tt := range tests {
		for range 2 {
			g := build(tt.lines...)
			var got []string
			for _, cycle := range g.Cycles() {
				got = append(got, join(cycle))
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
			}
			var cycleErr *graph.CycleError[string]
			if _, err := g.Order(); errors.As(err, &cycleErr) != (tt.want != "") {
				t.Errorf("%s: the order's error is %v", tt.name, err)
			}
			slices.Reverse(tt.lines)
		}
	}
	_, err := build("b: a", "a: b", "x: x").Order()
	if want := "cycle: a → b → a; cycle: x → x"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// A hostile configuration may be one knot: finding its cycles has to end.
func TestCyclesOfHugeKnots(t *testing.T) {
	const n = 10_000
	ring := graph.New[int, edgeKind](cmp.Compare)
	for i := range n {
		ring.Connect(i, (i+1)%n, ready)
	}
	if cycles := ring.Cycles(); len(cycles) != 1 || len(cycles[0]) != n || cycles[0][0] != 0 {
		t.Errorf("the ring has %d cycles", len(cycles))
	}
	random := rand.New(rand.NewPCG(1, 2))
	knot := graph.New[int, edgeKind](cmp.Compare)
	for range 5 * n {
		knot.Connect(random.IntN(n), random.IntN(n), ready)
	}
	assertCycles(t, knot)
}

func assertCycles[E comparable](t *testing.T, g *graph.Graph[int, E]) {
	t.Helper()
	seen := map[int]bool{}
	for _, cycle := range g.Cycles() {
		for n, node := range cycle {
			next := cycle[(n+1)%len(cycle)]
			if !slices.ContainsFunc(g.DependsOn(node), func(e graph.Edge[int, E]) bool { return e.To == next }) {
				t.Errorf("in cycle %v, %d does not depend on %d", cycle, node, next)
			}
			if seen[node] {
				t.Errorf("%d is in two cycles", node)
			}
			seen[node] = true
		}
		if slices.Min(cycle) != cycle[0] {
			t.Errorf("cycle %v does not begin with its first node", cycle)
		}
	}
	if g.Len() > 1000 {
		return // beyond the effort, cycles may remain
	}
	rest := g.Filter(func(e graph.Edge[int, E]) bool { return !seen[e.From] && !seen[e.To] })
	if cycles := rest.Cycles(); len(cycles) > 0 {
		t.Errorf("beside %v there is %v", g.Cycles(), cycles)
	}
}

// TestRandomGraphs compares with what is true by definition.
func TestRandomGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		g := graph.New[int, edgeKind](cmp.Compare)
		nodes := 1 + random.IntN(9)
		for range nodes {
			g.Add(random.IntN(nodes))
		}
		for range random.IntN(2 * nodes) {
			g.Connect(random.IntN(nodes), random.IntN(nodes), edgeKind(random.IntN(2)))
		}
		assertCycles(t, g)
		order, err := g.Order()
		cyclic := slices.ContainsFunc(g.Nodes(), func(k int) bool {
			return slices.ContainsFunc(g.DependsOn(k), func(e graph.Edge[int, edgeKind]) bool {
				return e.To == k || slices.Contains(g.Dependencies(e.To), k)
			})
		})
		if cyclic != (err != nil) || cyclic != (len(g.Cycles()) > 0) {
			t.Fatalf("%v: cyclic is %v, the error %v, the cycles %v", g.Edges(), cyclic, err, g.Cycles())
		}
		if err == nil && !slices.Equal(order, slowOrder(g)) {
			t.Fatalf("%v: the order is %v, want %v", g.Edges(), order, slowOrder(g))
		}
	}
}

func slowOrder(g *graph.Graph[int, edgeKind]) []int {
	var order []int
	for len(order) < g.Len() {
		for _, k := range g.Nodes() {
			waits := slices.ContainsFunc(g.DependsOn(k), func(e graph.Edge[int, edgeKind]) bool { return !slices.Contains(order, e.To) })
			if !waits && !slices.Contains(order, k) {
				order = append(order, k)
				break
			}
		}
	}
	return order
}

func TestLongestChain(t *testing.T) {
	weights := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "w": 1, "x": 1, "y": 1}
	tests := []struct {
		name  string
		lines []string
		want  string
		total int
	}{
		{"empty", nil, "", 0},
		{"one", []string{"c"}, "c", 3},
		{"by weight, not by length", []string{"a: b", "d: c"}, "c d", 7},
		{"runs in order", []string{"c: b", "b: a", "d"}, "a b c", 6},
		{"equal ones by name", []string{"y: x", "w: x", "x: b"}, "b x w", 4},
	}
	for _, tt := range tests {
		chain, total, err := graph.LongestChain(build(tt.lines...), func(k string) int { return weights[k] })
		if err != nil || join(chain) != tt.want || total != tt.total {
			t.Errorf("%s: %s of %d, %v; want %s of %d", tt.name, join(chain), total, err, tt.want, tt.total)
		}
	}
	if _, _, err := graph.LongestChain(build("a: a"), func(string) int { return 1 }); err == nil {
		t.Error("a cycle has a longest chain")
	}
}

// large makes a graph of the size of a big installation, without cycles.
func large(nodes, edges int) *testGraph {
	random := rand.New(rand.NewPCG(5, 6))
	g := graph.New[string, edgeKind](strings.Compare)
	names := make([]string, nodes)
	for i := range names {
		names[i] = fmt.Sprintf("instance.web[%q]", fmt.Sprint(i))
		g.Add(names[i])
	}
	for range edges {
		from := 1 + random.IntN(nodes-1)
		g.Connect(names[from], names[random.IntN(from)], ready)
	}
	return g
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		large(10_000, 50_000)
	}
}

func BenchmarkOrder(b *testing.B) {
	g := large(10_000, 50_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Order(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCycles(b *testing.B) {
	g := large(10_000, 50_000)
	for b.Loop() {
		if len(g.Cycles()) > 0 {
			b.Fatal("there are cycles")
		}
	}
}

func BenchmarkEdges(b *testing.B) {
	g := large(10_000, 50_000)
	for b.Loop() {
		g.Edges()
	}
}
