// Package gitserver runs real Git servers inside a test: smart HTTP with basic
// authentication and SSH with deploy keys, both on the loopback interface.
//
// A Store keeps bare repositories in a temporary directory. The git binary makes them
// and answers every request (git http-backend, git upload-pack, git receive-pack), cut
// off from the configuration of the user and the machine. Repository writes and reads
// history directly, without a server and without a work tree. StartHTTP, StartHTTPS
// and StartSSH serve the store, several of them at once if a test likes.
//
// What goes in at run time: users, passwords and keys; Faults that delay, limit, cut,
// refuse or hold requests; Stop and Start to make a server unreachable and reachable
// again on the same port; RejectPushes and OnNextPush to interfere with pushes. What
// comes out: URLs, a CA certificate or known_hosts line, and Requests, the number of
// requests per repository and kind.
//
// The servers speak version 0 of Git's protocol, the one that go-git speaks, so that
// one exchange is the same number of requests with every client. They use HTTP/1.1
// only, because cutting an HTTP/2 stream leaves its connection alive. They run no
// shell, forward no ports and never listen outside 127.0.0.1. A client that gives up
// while it still sends a push, or while the push is held by a fault, has pushed nothing.
package gitserver
