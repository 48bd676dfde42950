// Package e2e runs the built commands against real servers: pushes, what they lead to, what heals,
// what a kill in the middle leaves behind, and what is gone in the end. It asserts on the APIs and
// on the status branch, never on what the commands think.
//
// # Kills
//
// Sweeps have a cloud come and go while daemons are killed (-9) at their requests to Kubernetes, OpenStack and Git: before a request
// arrives, or after it was answered. A named step is a request that a daemon has to be killed at, by what it does
// and the end of its path, such as "POST networks" or "delete pods/"; namedSteps in killnamed_test.go lists them by the
// chapter of a cloud's life that they are of, and a test fails when it missed one. Each is killed at once in `make test`,
// on a side that the seed draws, and on both sides in the whole sweeps of `make soak`, where a daemon that was killed keeps
// its lease until that has run out, for as short a time as the flag takes.
//
// What is drawn depends on the seed and on what a request is about, and not on the order in which requests arrive: see choice.
// A sweep logs its kills, one a line, as "install: after POST projects". With such a line in KUPENSTACK_CRASH_POINT that
// kill is done alone, and so it is with a named step in the place of a whole path.
package e2e
