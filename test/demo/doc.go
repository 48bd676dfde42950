// Package demo tells the product's story on real servers: a push makes a cloud, a second push
// changes it, what somebody changes behind its back is put right, a broken push changes nothing.
// `make demo` prints the story while it happens; `make test` runs it like any other test, so that
// it stays true. Package e2e looks closer.
package demo
