package graph

import (
	"context"
	"errors"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// Outcome is how a walk ended for a node.
type Outcome uint8

// The outcomes of a visit.
const (
	Succeeded Outcome = iota + 1 // visited without an error
	Failed                       // visited; Err says what happened
	Skipped                      // not visited: something upstream failed, see Causes
	Cancelled                    // not visited, or given up, because the walk was cancelled
)

// String returns the outcome in a word or two.
func (o Outcome) String() string {
	switch o {
	case Succeeded:
		return "succeeded"
	case Failed:
		return "failed"
	case Skipped:
		return "upstream failed"
	case Cancelled:
		return "cancelled"
	default:
		return "none"
	}
}

// Result is how a walk ended for one node.
type Result[K any] struct {
	Node    K
	Outcome Outcome
	Err     error // what the visit returned

	// Causes are the failed nodes because of which a node was skipped: the roots only, not what
	// was itself skipped, in order. So a failure can be reported once, with all that it stopped.
	// Results share these lists; treat them as read only.
	Causes []K
}

// Walk calls visit for every node, after all that the node depends on was visited with success.
// Independent nodes are visited at the same time, at most limit of them (below 1: all that can be);
// when there is a choice, nodes begin in order. A failure stops only what depends on it.
//
// When ctx ends, no further visit begins, and Walk returns after the running ones have; visit is
// called with ctx and should heed it. A visit that then returns the context's error is not a
// failure.
//
// The results are in the order of [Graph.Nodes], one per node. The error is a [*CycleError], and
// then nothing was visited, or nil: failures are in the results.
func (g *Graph[K, E]) Walk(ctx context.Context, limit int, visit func(context.Context, K) error) ([]Result[K], error) {
	if _, err := g.order(); err != nil {
		return nil, err
	}
	if limit < 1 {
		limit = len(g.nodes)
	}
	w := &walk[K, E]{g: g, results: make([]Result[K], len(g.nodes)), roots: make([][]int, len(g.nodes))}
	w.ranks = g.ranks()
	w.waits, w.ready = g.start(w.ranks)

	type report struct {
		node int
		err  error
	}
	reports := make(chan report)
	for running := 0; ; {
		for running < limit && len(w.ready.items) > 0 {
			i := w.ready.pop()
			if ctx.Err() != nil {
				w.finish(i, Cancelled, nil)
				continue
			}
			running++
			contain.Go(func() { reports <- report{i, visit(ctx, g.nodes[i])} })
		}
		if running == 0 {
			return w.sorted(), nil
		}
		r := <-reports
		running--
		w.finish(r.node, outcome(ctx, r.err), r.err)
	}
}

func outcome(ctx context.Context, err error) Outcome {
	switch {
	case err == nil:
		return Succeeded
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return Cancelled
	default:
		return Failed
	}
}

// walk is the state of one Walk; only the goroutine that called it touches this.
type walk[K, E comparable] struct {
	g       *Graph[K, E]
	ranks   []int
	waits   []int
	ready   *queue
	results []Result[K]
	roots   [][]int // the failed nodes upstream, by rank; shared between nodes where equal
}

// finish records the outcome of a node, and of those downstream for which it decides.
func (w *walk[K, E]) finish(node int, outcome Outcome, err error) {
	w.results[node] = Result[K]{Node: w.g.nodes[node], Outcome: outcome, Err: err}
	if outcome == Failed {
		w.roots[node] = []int{node}
	}
	for done := []int{node}; len(done) > 0; {
		i := done[len(done)-1]
		done = done[:len(done)-1]
		for _, h := range w.g.in[i] {
			if w.waits[h.node]--; w.waits[h.node] > 0 {
				continue
			}
			if outcome := w.upstream(h.node); outcome != Succeeded {
				w.results[h.node] = Result[K]{Node: w.g.nodes[h.node], Outcome: outcome}
				done = append(done, h.node)
			} else {
				w.ready.push(h.node)
			}
		}
	}
}

// upstream decides from its dependencies what becomes of a node, and collects the failures. One
// failure counts for more than any number of cancellations.
func (w *walk[K, E]) upstream(node int) Outcome {
	outcome := Succeeded
	for _, h := range w.g.out[node] {
		switch w.results[h.node].Outcome {
		case Failed, Skipped:
			outcome = Skipped
			w.roots[node] = w.union(w.roots[node], w.roots[h.node])
		case Cancelled:
			if outcome == Succeeded {
				outcome = Cancelled
			}
		default: // it succeeded and stops nothing
		}
	}
	return outcome
}

// union merges two lists in the order of ranks. It returns one of them as it is when that has all,
// which keeps a failure far upstream of thousands of nodes cheap.
func (w *walk[K, E]) union(a, b []int) []int {
	if len(a) == 0 || slices.Equal(a, b) {
		return b
	}
	byRank := func(x, y int) int { return w.ranks[x] - w.ranks[y] }
	merged := slices.Concat(a, b)
	slices.SortFunc(merged, byRank)
	merged = slices.Compact(merged)
	switch len(merged) {
	case len(a):
		return a
	case len(b):
		return b
	}
	return merged
}

func (w *walk[K, E]) sorted() []Result[K] {
	sorted := make([]Result[K], len(w.results))
	causes := map[*int][]K{} // lists that nodes share stay shared
	for i, result := range w.results {
		if result.Outcome == Skipped {
			list := &w.roots[i][0]
			if causes[list] == nil {
				for _, root := range w.roots[i] {
					causes[list] = append(causes[list], w.g.nodes[root])
				}
			}
			result.Causes = causes[list]
		}
		sorted[w.ranks[i]] = result
	}
	return sorted
}
