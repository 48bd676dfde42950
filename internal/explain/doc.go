// Package explain tells where the values of a configuration come from: for every effective value
// the file and line that set it, or that it is a default, and what it took the place of.
//
// In come a model, the origins of what was written, and an address. Out goes an [Explanation],
// which can be printed for people and for programs. Sensitive values are never part of one, and
// what only OpenStack decides is shown as not known yet.
//
// The package reads no files and reaches no server.
package explain
