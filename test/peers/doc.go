// Package peers compares the built daemon with Flux's source-, kustomize- and helm-controller, which do the same for
// plain objects: `make bench-peers`. Both follow a repository with the same thousand objects on one control plane, each
// in a namespace of its own, and are measured in one run, so that what counts are ratios and not the machine.
//
// The daemon has the thousand objects from one manifest block, as Flux has them from one Kustomization: one unit with one
// record. It is what the figures are about. With a block for each object there are as many units, each of which is decided
// and reported by itself and has a record of its own that is written before and after it is created: the first apply takes
// more requests for each object then, and a pass more processor time. That is not measured here.
//
// In go the audit log of the API server, the requests that reached the Git servers, and what the kernel says of the
// processes. Out come the figures of both, and a failure for each that is worse than was promised. The controllers are
// built from the module in binaries; what that took is kept in Go's own cache. None of it is part of `make test`.
package peers
