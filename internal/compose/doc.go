// Package compose turns a model into units: which Helm releases with which values, which labels on
// which nodes, which credentials, which objects inside OpenStack, and what each of them waits for.
// All knowledge of OpenStack-Helm and of the order of a deployment is here, as tables by service.
//
// In come a [model.Model], an [Evaluator] for what depends on outputs of others, and [Facts] about
// the cluster. Out go units, sorted by address and with sorted edges, or diagnostics that say where
// the configuration asks for something impossible. The same arguments give the same units. [Check] does
// that for what has other mistakes already, and returns the diagnostics alone.
//
// The package is pure: it reads no chart, reaches no cluster, generates no password. No secret is
// in what it returns: credentials are references to keys of a Kubernetes Secret.
package compose
