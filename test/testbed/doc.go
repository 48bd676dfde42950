// Package testbed gives tests the real servers that the supervisor keeps for a whole run:
// one Kubernetes control plane and one OpenStack, both shared, and private control planes
// for tests that touch what is global in a cluster (nodes, custom resource definitions).
//
// The supervisor (package supervisor, `make test`) starts the beds once and names their
// directory in KUPENSTACK_TESTBED. Without that variable, in the inner loop, tests that ask
// for a bed are skipped and say how to get one. With it, a bed that is missing fails the
// test: a check that silently does not run is no check.
//
// Shared beds are shared: tests use unique names and namespaces, and leave global objects
// alone or take Lock first.
package testbed
