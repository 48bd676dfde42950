// Package binaries holds no code. Its module pins the controllers of Flux that package peers
// builds with `go install tool`. It is a module of its own because they need other releases of
// the Kubernetes libraries than KupenStack, and of some of their own the replace lines.
package binaries
