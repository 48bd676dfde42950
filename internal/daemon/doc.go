// Package daemon keeps one cloud as its repository wants it: it waits for the lease, polls the
// source, hands revisions to the engine, and publishes reports.
//
// What it works with is handed in by the commands. Only one process that holds the lease changes
// anything; the guard of its [Lease] is asked in the transport of every client. One that has lost it reads nothing for its work
// either, and logs in nowhere.
package daemon
