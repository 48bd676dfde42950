// Package graph holds what depends on what, whatever the things are.
//
// A [Graph] has comparable nodes, ordered by a function of the caller, and edges from a node to
// what it depends on, each with a value that says what kind of dependency it is. From it come the
// order of evaluation and of action, the cycles that make an order impossible, everything that one
// node needs or is needed by, the longest chain, and [Graph.Walk], which visits nodes in parallel
// and tells failures from what merely followed from them.
//
// In: nodes and edges, in any order. Out: the same answer for the same graph, however it was put
// together. The package knows no configuration and no units, gives edges no meaning, logs nothing,
// and does not change a graph while it is read: a graph is built first, by one goroutine, and may
// then be read by many.
package graph
