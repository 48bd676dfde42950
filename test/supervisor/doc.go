// Package supervisor owns the test beds of one run. It prepares what they need (builds the
// control plane, installs Debian's packages), starts the beds side by side, runs a command
// with KUPENSTACK_TESTBED in its environment, stops everything by identity and proves that
// nothing is left running. It outlives the single test binaries, which are separate
// processes and share the beds through files.
//
// A supervisor that was killed leaves its directory behind; the next one finds it, sees
// that its owner is gone, and stops the servers that it had started, and the command with
// what that had started.
package supervisor
