// Package await waits in tests for what other goroutines and servers do. The limit is far above what
// anything takes on a machine at rest: a test that needs it has failed, and says what never came.
package await
