// Package world gives tests everything that the product meets at once: a played cluster, the
// shared OpenStack, a Git server with the demo's configuration in it, and the built commands.
//
// What the tests see is what an operator sees: the commands' output and exit codes, the status
// branch, and what Kubernetes and OpenStack say by themselves.
package world
