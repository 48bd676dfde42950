// Package composed gives tests the units that compose makes of configurations: of the demo, and of a
// cloud with all services on every backend.
//
// Both compose's own tests and those of the test charts look at them; the latter stand apart, so that
// only one test binary links Helm for it.
package composed
