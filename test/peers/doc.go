// Package peers compares the built daemon with Flux's source-, kustomize- and helm-controller, which do the same for
// plain objects: `make bench-peers`. Both follow a repository with the same thousand objects on one control plane, each
// in a namespace of its own, and are measured in one run, so that what counts are ratios and not the machine.
//
// In go the audit log of the API server, the requests that reached the Git servers, and what the kernel says of the
// processes. Out come the figures of both, and a failure for each that is worse than was promised. The controllers are
// built from the module in binaries; what that took is kept in Go's own cache. None of it is part of `make test`.
package peers
