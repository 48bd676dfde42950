// Package architecture holds the rules about which package may import what, and the
// test that applies them to the whole module as `go list` sees it.
//
// The rules are data: the order in which packages stand on each other, the packages
// that stay pure, and the one home of each heavy library. A new package has to be
// given its place here before anything may import it.
package architecture
