// Package guard holds back what a process has lost the right to send, also while it waited for a connection.
//
// In: a request that was let through, and the guard that did so. Out: its answer, or why it was not sent. A guard that is asked
// before there is a connection tells nothing of when the request goes out: the lookup of a name, the dial and the handshake lie
// between, all of them hang where the network does, which is also what loses leases, and a process may be paused anywhere. So it
// is asked again when the request is about to be written, and for each part of a body. What the system's network has taken by then
// cannot be called back, and may still arrive.
//
// What changes something needs the right to write. What only reads needs the right to read, which a process has that never was
// in charge, and has not any more once it was and lost that: nothing that its work asks goes out then, logins and downloads
// included, but for what it asks to be in charge again ([Waiting]).
package guard
