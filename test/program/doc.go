// Package program builds commands of this module for the tests that run them as processes, each
// command once for all test binaries of a run; on demand with the race detector.
package program
