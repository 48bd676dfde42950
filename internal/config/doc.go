// Package config turns files into guarded, decoded syntax.
//
// In comes a tree of files, which may be written by somebody who wishes us ill. Out goes a
// [Config]: every block with the shape that the schema gives it, every reference found, every
// expression still unevaluated; and the list of all mistakes that can be seen at this point,
// each with file, line and what to do.
//
// A [Module] is what the files of one directory say: the root, and every directory that a call has
// as its source, however often it is called. A file belongs to the nearest such directory above it.
//
// Files pass a scan of their tokens before they are parsed, because the parser descends into
// what is nested by calling itself and a stack that overflows cannot be caught; see [Limits].
// The expressions charge a [Budget] when they are evaluated, so that a few lines cannot keep
// the evaluator busy for hours or fill the memory.
//
// The package reads nothing but files of the tree that it is given: *.hcl below the configuration's
// directory and those of modules, in HCL's native syntax and none of them a link, and the *.hclvars
// files that hold values for variables. It evaluates nothing, and does not know whether a reference leads anywhere.
package config
