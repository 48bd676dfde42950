package graph

import (
	"fmt"
	"slices"
	"strings"
)

// CycleError says that a graph has no order, and why.
type CycleError[K any] struct {
	// Cycles has each cycle as a path: every node depends on the next, the last on the first.
	Cycles [][]K
}

// Error writes the cycles one after another, each from its first node back to it.
func (e *CycleError[K]) Error() string {
	var b strings.Builder
	for i, cycle := range e.Cycles {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString("cycle: ")
		for _, k := range cycle {
			fmt.Fprintf(&b, "%v → ", k)
		}
		fmt.Fprint(&b, cycle[0])
	}
	return b.String()
}

// cycleEffort bounds the edges that are looked at to make cycles short and complete; beyond it each
// knot of nodes still yields a cycle, perhaps not its shortest. A configuration written by people
// never comes near.
const cycleEffort = 1_000_000

// Cycles returns the cycles of the graph as paths, see [CycleError]: from every knot of nodes that
// reach each other the shortest cycle, then the shortest among the nodes that are left, and so on.
// No node is in two of them, so each is a mistake of its own. A cycle begins with its first node;
// cycles are ordered by their first nodes. The result is empty when there is an order.
func (g *Graph[K, E]) Cycles() [][]K {
	f := g.newFinder()
	var cycles [][]int
	all := make([]int, len(g.nodes))
	for i := range all {
		all[i] = i
	}
	for work := [][]int{all}; len(work) > 0; {
		nodes := work[len(work)-1]
		work = work[:len(work)-1]
		for _, knot := range f.knots(nodes) {
			cycle := f.shortest(knot)
			cycles = append(cycles, cycle)
			if f.effort > 0 {
				work = append(work, without(knot, cycle))
			}
		}
	}
	slices.SortFunc(cycles, func(a, b []int) int { return f.ranks[a[0]] - f.ranks[b[0]] })
	paths := make([][]K, len(cycles))
	for n, cycle := range cycles {
		for _, i := range cycle {
			paths[n] = append(paths[n], g.nodes[i])
		}
	}
	return paths
}

func without(nodes, drop []int) []int {
	dropped := make(map[int]bool, len(drop))
	for _, i := range drop {
		dropped[i] = true
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(i int) bool { return dropped[i] })
}

// finder looks for cycles in parts of a graph.
type finder struct {
	next   [][]int // what each node depends on, by rank, each once
	ranks  []int
	part   []int // which part a node is in; edges between parts are not followed
	parts  int
	effort int

	index, low []int // scratch of knots
	open       []bool

	from   []int // scratch of through: how the search came to a node
	stamp  []int // and in which search it did
	search int
}

func (g *Graph[K, E]) newFinder() *finder {
	n := len(g.nodes)
	f := &finder{
		next: make([][]int, n), ranks: g.ranks(), part: make([]int, n), effort: cycleEffort,
		index: make([]int, n), low: make([]int, n), open: make([]bool, n),
		from: make([]int, n), stamp: make([]int, n),
	}
	for i := range g.nodes {
		for _, h := range g.out[i] {
			f.next[i] = append(f.next[i], h.node)
		}
		slices.SortFunc(f.next[i], func(a, b int) int { return f.ranks[a] - f.ranks[b] })
		f.next[i] = slices.Compact(f.next[i])
	}
	return f
}

// mark makes the nodes a part of their own and returns its number.
func (f *finder) mark(nodes []int) int {
	f.parts++
	for _, i := range nodes {
		f.part[i] = f.parts
	}
	return f.parts
}

// knots returns the sets of nodes that reach each other within the given ones: the strongly
// connected components, by Tarjan's algorithm with a stack of its own, since a chain may be deeper
// than a goroutine's stack should be. Sets that contain no cycle are left out.
func (f *finder) knots(nodes []int) [][]int {
	part := f.mark(nodes)
	type frame struct{ node, edge int }
	var (
		knots [][]int
		stack []int
		calls []frame
		count int
		index = f.index // from 1 in the order of discovery; 0 is undiscovered
		low   = f.low
		open  = f.open // on the stack
	)
	for _, i := range nodes {
		index[i] = 0
	}
	enter := func(i int) {
		count++
		index[i], low[i], open[i] = count, count, true
		stack = append(stack, i)
		calls = append(calls, frame{node: i})
	}
	for _, root := range nodes {
		if index[root] != 0 {
			continue
		}
		for enter(root); len(calls) > 0; {
			f.effort--
			top := &calls[len(calls)-1]
			i := top.node
			if top.edge < len(f.next[i]) {
				j := f.next[i][top.edge]
				top.edge++
				switch {
				case f.part[j] != part:
				case index[j] == 0:
					enter(j)
				case open[j]:
					low[i] = min(low[i], index[j])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				caller := calls[len(calls)-1].node
				low[caller] = min(low[caller], low[i])
			}
			if low[i] != index[i] {
				continue
			}
			at := len(stack) - 1
			for stack[at] != i {
				at--
			}
			knot := slices.Clone(stack[at:])
			stack = stack[:at]
			for _, j := range knot {
				open[j] = false
			}
			if len(knot) > 1 || slices.Contains(f.next[i], i) {
				knots = append(knots, knot)
			}
		}
	}
	return knots
}

// shortest returns a shortest cycle of a knot, from its first node. It searches from every node in
// order, no further than the best cycle so far, until the effort is spent.
func (f *finder) shortest(knot []int) []int {
	part := f.mark(knot)
	starts := slices.Clone(knot)
	slices.SortFunc(starts, func(a, b int) int { return f.ranks[a] - f.ranks[b] })
	var best []int
	for _, start := range starts {
		if best != nil && f.effort <= 0 {
			break
		}
		if cycle := f.through(start, part, len(best)); cycle != nil {
			best = cycle
		}
		if len(best) == 1 {
			break
		}
	}
	first := 0
	for n, i := range best {
		if f.ranks[i] < f.ranks[best[first]] {
			first = n
		}
	}
	return slices.Concat(best[first:], best[:first])
}

// through returns a shortest cycle through start that is shorter than limit (0: any), or nil.
func (f *finder) through(start, part, limit int) []int {
	f.search++
	f.stamp[start] = f.search
	f.from[start] = -1
	level := []int{start}
	for length := 1; len(level) > 0 && (limit == 0 || length < limit); length++ {
		var below []int
		for _, i := range level {
			for _, j := range f.next[i] {
				f.effort--
				if j == start {
					cycle := []int{i}
					for f.from[cycle[len(cycle)-1]] >= 0 {
						cycle = append(cycle, f.from[cycle[len(cycle)-1]])
					}
					slices.Reverse(cycle)
					return cycle
				}
				if f.part[j] == part && f.stamp[j] != f.search {
					f.stamp[j] = f.search
					f.from[j] = i
					below = append(below, j)
				}
			}
		}
		level = below
	}
	return nil
}
