//go:build beds

package openstack_test

import (
	"io"
	"testing"
)

// BenchmarkStart measures every start but the first: the shared bed has made the snapshot.
func BenchmarkStart(b *testing.B) {
	dir := privateDir(b)
	for b.Loop() {
		cloud := startPrivate(b, dir, io.Discard)
		b.StopTimer()
		stopPrivate(b, cloud)
		b.StartTimer()
	}
}
