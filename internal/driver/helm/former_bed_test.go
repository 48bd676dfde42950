//go:build beds

package helm

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// FormerReturn is how a program that tried nothing for who asks called the return from what is wanted.
func FormerReturn(t *testing.T, d *Driver, target unit.Target) string {
	t.Helper()
	v, err := d.lookNow(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return returnPrefix + hashOf(v.namespace, v.name, v.input())[:32]
}
