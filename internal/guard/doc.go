// Package guard holds back what a process has lost the right to send while it waited for a connection.
//
// In: a request that was let through, and the guard that did so. Out: its answer, or why it was not sent. A guard that is asked
// before there is a connection tells nothing of when the request goes out: the lookup of a name, the dial and the handshake lie
// between, all of them hang where the network does, which is also what loses leases, and a process may be paused anywhere. So it
// is asked again when the request is about to be written, and for each part of a body. What the system's network has taken by then
// cannot be called back, and may still arrive.
package guard
