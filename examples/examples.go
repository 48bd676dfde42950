package examples

import "embed"

// FS holds the examples, each a directory of *.hcl files.
//
//go:embed minimal demo
var FS embed.FS
