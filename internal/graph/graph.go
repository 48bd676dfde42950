package graph

import "slices"

// Graph is a directed graph with nodes K and edges that carry an E. There may be several edges
// between two nodes when they carry different values. Create it with [New].
type Graph[K, E comparable] struct {
	compare func(a, b K) int
	index   map[K]int
	nodes   []K         // in the order they were added
	out     [][]half[E] // what each node depends on
	in      [][]half[E] // what depends on each node
}

// half is an edge seen from one of its ends.
type half[E comparable] struct {
	node int
	edge E
}

// Edge says that From depends on To.
type Edge[K, E comparable] struct {
	From, To K
	Edge     E
}

// New returns an empty graph. compare orders the nodes for every answer that is a list; it must be
// a total order that returns 0 for equal nodes only.
func New[K, E comparable](compare func(a, b K) int) *Graph[K, E] {
	return &Graph[K, E]{compare: compare, index: map[K]int{}}
}

// Grow makes room for that many more nodes, for who knows how many there will be.
func (g *Graph[K, E]) Grow(nodes int) {
	if len(g.index) == 0 {
		g.index = make(map[K]int, nodes)
	}
	g.nodes = slices.Grow(g.nodes, nodes)
	g.out, g.in = slices.Grow(g.out, nodes), slices.Grow(g.in, nodes)
}

// Add adds nodes; those that the graph has already stay as they are.
func (g *Graph[K, E]) Add(nodes ...K) {
	for _, k := range nodes {
		g.add(k)
	}
}

func (g *Graph[K, E]) add(k K) int {
	if i, ok := g.index[k]; ok {
		return i
	}
	i := len(g.nodes)
	g.index[k] = i
	g.nodes = append(g.nodes, k)
	g.out = append(g.out, nil)
	g.in = append(g.in, nil)
	return i
}

// Connect says that from depends on to, and adds either when it is missing: whether a reference
// leads anywhere is for the caller to check first. An equal edge is added once.
func (g *Graph[K, E]) Connect(from, to K, edge E) {
	f, t := g.add(from), g.add(to)
	// Looking from the end with fewer edges keeps this cheap for a node that everything needs.
	if len(g.out[f]) <= len(g.in[t]) {
		if slices.Contains(g.out[f], half[E]{t, edge}) {
			return
		}
	} else if slices.Contains(g.in[t], half[E]{f, edge}) {
		return
	}
	g.out[f] = append(g.out[f], half[E]{t, edge})
	g.in[t] = append(g.in[t], half[E]{f, edge})
}

// Has reports whether the graph has the node.
func (g *Graph[K, E]) Has(k K) bool {
	_, ok := g.index[k]
	return ok
}

// Len returns the number of nodes.
func (g *Graph[K, E]) Len() int { return len(g.nodes) }

// Nodes returns all nodes in order.
func (g *Graph[K, E]) Nodes() []K {
	nodes := slices.Clone(g.nodes)
	slices.SortFunc(nodes, g.compare)
	return nodes
}

// Edges returns all edges, ordered by From, then To. Edges between the same two nodes keep the
// order in which they were connected.
func (g *Graph[K, E]) Edges() []Edge[K, E] {
	var edges []Edge[K, E]
	for i, k := range g.nodes {
		for _, h := range g.out[i] {
			edges = append(edges, Edge[K, E]{From: k, To: g.nodes[h.node], Edge: h.edge})
		}
	}
	g.sort(edges)
	return edges
}

// DependsOn returns the edges that leave k, ordered by To; none when the graph has no k.
func (g *Graph[K, E]) DependsOn(k K) []Edge[K, E] {
	i, ok := g.index[k]
	if !ok {
		return nil
	}
	var edges []Edge[K, E]
	for _, h := range g.out[i] {
		edges = append(edges, Edge[K, E]{From: k, To: g.nodes[h.node], Edge: h.edge})
	}
	g.sort(edges)
	return edges
}

// NeededBy returns the edges that lead to k, ordered by From; none when the graph has no k.
func (g *Graph[K, E]) NeededBy(k K) []Edge[K, E] {
	i, ok := g.index[k]
	if !ok {
		return nil
	}
	var edges []Edge[K, E]
	for _, h := range g.in[i] {
		edges = append(edges, Edge[K, E]{From: g.nodes[h.node], To: k, Edge: h.edge})
	}
	g.sort(edges)
	return edges
}

func (g *Graph[K, E]) sort(edges []Edge[K, E]) {
	slices.SortStableFunc(edges, func(a, b Edge[K, E]) int {
		if c := g.compare(a.From, b.From); c != 0 {
			return c
		}
		return g.compare(a.To, b.To)
	})
}

// Dependencies returns everything that the nodes need, directly or through others, in order and
// without the nodes themselves. Nodes that the graph does not have are passed over.
func (g *Graph[K, E]) Dependencies(nodes ...K) []K { return g.reach(g.out, nodes) }

// Dependents returns everything that needs one of the nodes, directly or through others, in order
// and without the nodes themselves. Nodes that the graph does not have are passed over.
func (g *Graph[K, E]) Dependents(nodes ...K) []K { return g.reach(g.in, nodes) }

func (g *Graph[K, E]) reach(next [][]half[E], from []K) []K {
	seen := make([]bool, len(g.nodes))
	var queue []int
	for _, k := range from {
		if i, ok := g.index[k]; ok && !seen[i] {
			seen[i] = true
			queue = append(queue, i)
		}
	}
	var found []K
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, h := range next[i] {
			if !seen[h.node] {
				seen[h.node] = true
				queue = append(queue, h.node)
				found = append(found, g.nodes[h.node])
			}
		}
	}
	slices.SortFunc(found, g.compare)
	return found
}

// Reverse returns a new graph in which every edge leads the other way: the order of deletion is the
// order of the reversed graph.
func (g *Graph[K, E]) Reverse() *Graph[K, E] {
	r := New[K, E](g.compare)
	r.Add(g.nodes...)
	for i := range g.nodes {
		r.out[i], r.in[i] = slices.Clone(g.in[i]), slices.Clone(g.out[i])
	}
	return r
}

// Filter returns a new graph with all nodes and those edges for which keep returns true.
func (g *Graph[K, E]) Filter(keep func(Edge[K, E]) bool) *Graph[K, E] {
	r := New[K, E](g.compare)
	r.Add(g.nodes...)
	for i, k := range g.nodes {
		for _, h := range g.out[i] {
			if keep(Edge[K, E]{From: k, To: g.nodes[h.node], Edge: h.edge}) {
				r.out[i] = append(r.out[i], h)
				r.in[h.node] = append(r.in[h.node], half[E]{i, h.edge})
			}
		}
	}
	return r
}
