// Package revision turns a commit into what the engine takes: it follows the newest revision of a
// source, reads the configuration in it, and composes units of that.
//
// The repository may be written by somebody who wishes us ill, so a [Reader] has each configuration
// read and composed in a process of its own first; see package confine. From then until it was read here,
// a [Collector] puts off collecting garbage.
//
// A revision with a mistake never takes the place of one without: the tracker keeps the last good
// one and says what is wrong with the newest. The package changes nothing anywhere.
package revision
