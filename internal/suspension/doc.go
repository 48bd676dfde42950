// Package suspension says what is to be left alone for a while.
//
// A suspension names a part of the cloud, and until when, by whom and why nothing is done about it. What it
// names is still looked at: only acting waits. There are two kinds: those that a configuration has, and those
// that somebody gave by command, which are kept in the cluster so that they need no repository and outlive
// every process.
//
// In: the document that the cluster keeps, or nothing. Out: suspensions, and that document. The package knows
// neither a cluster nor a clock: the time is told.
package suspension
