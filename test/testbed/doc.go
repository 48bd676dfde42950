// Package testbed gives tests the real servers that the supervisor keeps for a whole run:
// one Kubernetes control plane and one OpenStack, both shared, and private control planes
// for tests that touch what is global in a cluster (nodes, custom resource definitions).
//
// The supervisor (package supervisor, `make test`) starts the beds once and names their
// directory in KUPENSTACK_TESTBED. Without that variable, in the inner loop, tests that ask
// for a bed are skipped and say how to get one. With it, a bed that is missing fails the
// test: a check that silently does not run is no check.
//
// This package brings all of Kubernetes' clients into a test binary, which takes seconds to
// link. Files of tests that are nothing without a bed therefore have the build tag beds, where
// the package that they test does not need these clients itself. So have the tests of what only
// tests stand on (cluster, crash, faultproxy, gitserver, supervisor): they change seldom, and
// the inner loop is for what the product does.
//
// Shared beds are shared: tests use unique names and namespaces, and leave global objects
// alone or take Lock first.
package testbed
