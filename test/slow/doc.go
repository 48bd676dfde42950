// Package slow keeps tests that take seconds of a processor out of the inner loop. `make test` runs
// all of them. It imports next to nothing, so that no test binary grows by it.
package slow
