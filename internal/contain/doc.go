// Package contain starts goroutines in which a panic tells nobody its value.
//
// What a program panics with may be anything, a secret of an answer included, and Go writes it to the standard error when
// nobody recovers it, which nobody but the goroutine itself can. So each goroutine of ours is one of a [Group], whose panics
// are those of the call that waits for it, or one that [Go] or a [Background] starts, whose panics end the process as all others
// do; what libraries call in goroutines of theirs is a [Callback]. Of a panic is told what the Go runtime says itself, and where it was.
package contain
