// Package freeport finds TCP ports on the loopback interface for servers that
// cannot choose one themselves.
//
// Asking the kernel for port 0 and closing the listener hands out a number that
// any outgoing connection may take a moment later. The ports here come from below
// the kernel's ephemeral range, and each is reserved among the project's own
// processes by a lock on a file until the reserving process ends.
package freeport
