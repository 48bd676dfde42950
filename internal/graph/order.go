package graph

import "slices"

// Order returns the nodes so that each comes after all that it depends on. Among the nodes that
// could come next, the first by the graph's comparison does, so the order depends on the graph
// alone. When there are cycles the error is a [*CycleError] with them.
func (g *Graph[K, E]) Order() ([]K, error) {
	order, err := g.order()
	if err != nil {
		return nil, err
	}
	nodes := make([]K, len(order))
	for n, i := range order {
		nodes[n] = g.nodes[i]
	}
	return nodes, nil
}

func (g *Graph[K, E]) order() ([]int, error) {
	ranks := g.ranks()
	waits, ready := g.start(ranks)
	order := make([]int, 0, len(g.nodes))
	for len(ready.items) > 0 {
		i := ready.pop()
		order = append(order, i)
		for _, h := range g.in[i] {
			if waits[h.node]--; waits[h.node] == 0 {
				ready.push(h.node)
			}
		}
	}
	if len(order) < len(g.nodes) {
		return nil, &CycleError[K]{Cycles: g.Cycles()}
	}
	return order, nil
}

// ranks returns the place of each node among all of them, so that what follows compares numbers.
func (g *Graph[K, E]) ranks() []int {
	sorted := make([]int, len(g.nodes))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortFunc(sorted, func(a, b int) int { return g.compare(g.nodes[a], g.nodes[b]) })
	ranks := make([]int, len(g.nodes))
	for rank, i := range sorted {
		ranks[i] = rank
	}
	return ranks
}

// start returns for how many edges each node waits, and those that wait for none.
func (g *Graph[K, E]) start(ranks []int) ([]int, *queue) {
	waits := make([]int, len(g.nodes))
	ready := &queue{ranks: ranks}
	for i := range g.nodes {
		if waits[i] = len(g.out[i]); waits[i] == 0 {
			ready.push(i)
		}
	}
	return waits, ready
}

// queue is a heap of nodes by rank. container/heap would cost an interface per node.
type queue struct {
	ranks []int
	items []int
}

func (q *queue) push(i int) {
	q.items = append(q.items, i)
	for c := len(q.items) - 1; c > 0; {
		parent := (c - 1) / 2
		if q.ranks[q.items[parent]] <= q.ranks[q.items[c]] {
			return
		}
		q.items[parent], q.items[c] = q.items[c], q.items[parent]
		c = parent
	}
}

func (q *queue) pop() int {
	first, last := q.items[0], len(q.items)-1
	q.items[0] = q.items[last]
	q.items = q.items[:last]
	for parent := 0; ; {
		c := 2*parent + 1
		if c >= last {
			return first
		}
		if c+1 < last && q.ranks[q.items[c+1]] < q.ranks[q.items[c]] {
			c++
		}
		if q.ranks[q.items[parent]] <= q.ranks[q.items[c]] {
			return first
		}
		q.items[parent], q.items[c] = q.items[c], q.items[parent]
		parent = c
	}
}

// Weight is what the length of a chain is measured in: a number of steps, a duration.
type Weight interface {
	~int | ~int64 | ~float64
}

// LongestChain returns the chain of dependencies with the greatest total weight, in the order in
// which it would run, and that weight: no schedule, however parallel, can be shorter. Weights must
// not be negative. Among chains of equal weight it takes, from the last node back, the node that comes
// first. It fails with a [*CycleError] when there is no order.
func LongestChain[K, E comparable, W Weight](g *Graph[K, E], weight func(K) W) ([]K, W, error) {
	order, err := g.order()
	if err != nil {
		return nil, 0, err
	}
	ranks := g.ranks()
	total := make([]W, len(g.nodes)) // of the longest chain that ends with each node
	before := make([]int, len(g.nodes))
	last := -1
	for _, i := range order {
		before[i] = -1
		for _, h := range g.out[i] {
			if b := before[i]; b < 0 || total[h.node] > total[b] || total[h.node] == total[b] && ranks[h.node] < ranks[b] {
				before[i] = h.node
			}
		}
		total[i] = weight(g.nodes[i])
		if before[i] >= 0 {
			total[i] += total[before[i]]
		}
		if last < 0 || total[i] > total[last] || total[i] == total[last] && ranks[i] < ranks[last] {
			last = i
		}
	}
	if last < 0 {
		return nil, 0, nil
	}
	var chain []K
	for i := last; i >= 0; i = before[i] {
		chain = append(chain, g.nodes[i])
	}
	slices.Reverse(chain)
	return chain, total[last], nil
}
