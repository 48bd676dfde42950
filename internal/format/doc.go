// Package format brings the files of a configuration into the canonical layout.
//
// In come a directory or the name of a file. Out go the files whose layout was another one, with both
// texts, the difference as a unified diff, and diagnostics about what could not be formatted. If
// asked, the files are replaced: each at once or not at all, with the mode that it had. A file with a
// mistake of syntax stays as it is.
//
// The package follows no links, neither for reading nor for writing, and leaves no directory that it
// was given. What the layout is, package config decides.
package format
