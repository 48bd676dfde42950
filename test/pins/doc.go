// Package pins holds no code of its own. Its test links every library that the
// design fixes into one binary, so that go.mod always names one set of versions
// that is known to compile together, and `go mod tidy` keeps the entries of
// libraries whose only importing package is not written yet.
package pins
