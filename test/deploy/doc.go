// Package deploy holds no code but tests: that what lies in deploy/ and the Dockerfile fits the
// program. The chart renders with every way of reaching a repository, names only flags that there
// are, is accepted by a real API server, and hands out neither too few rights nor some that are
// forbidden; the plain manifests are what the chart renders.
//
// In come the files of the checkout and the shared control plane. The only files that are ever
// written are the manifests, by `make generate`.
package deploy

//go:generate go test -count=1 -run ^TestManifests$ . -update
