// Package model is the configuration as everything after it sees it: evaluated, layered and
// typed.
//
// In come values that were decoded and evaluated elsewhere. Out goes a [Model]: the cloud with
// its services, profiles and nodes as Go structs, and each resource as an address, a kind and a
// value that may hold unknowns for what OpenStack has yet to decide. [Model.Check] tells which
// of its invariants do not hold. What was written keeps the place where it was written.
//
// The package knows no HCL and no Kubernetes, reads nothing and calls nothing.
package model
