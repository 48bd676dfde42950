// Package demo shows in a minute what the ground is good for, on the real servers of the run:
// charts in dependency order on the control plane, resources on OpenStack through a proxy
// that loses an answer, a push to a Git server. `make demo` prints its story; `make test`
// runs it like any other test, so that it stays true.
package demo
