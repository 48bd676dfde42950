package examples

import "embed"

// FS holds the examples, each a directory of *.hcl files.
//
//go:embed minimal ha ceph rook tls demo external modules profiles
var FS embed.FS
