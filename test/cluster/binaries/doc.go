// Package binaries holds no code. Its module pins the programs of the control plane that
// package cluster builds with `go install tool`: etcd, the Kubernetes servers, kubectl, kwok.
//
// It is a module of its own because these programs need one release of the Kubernetes
// libraries for all of them (the replace lines), and KupenStack itself needs newer ones.
package binaries
