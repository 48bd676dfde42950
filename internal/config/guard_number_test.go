package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// TestNumberOutOfRange has the text fit a number that is short and far too large.
func TestNumberOutOfRange(t *testing.T) {
	for _, number := range []string{"1e400", "1e-400", strings.Repeat("9", 101)} {
		_, diags := config.Load(fstest.MapFS{"main.hcl": {Data: []byte("network \"a\" {\n  mtu = " + number + "\n}\n")}}, ".", config.DefaultLimits())
		found := false
		for _, d := range diags {
			found = found || d.Summary == "number out of range" && d.Detail == "a number can have at most 100 digits, and an exponent from -100 to 100"
		}
		if !found {
			t.Errorf("%s: %v", number, diags)
		}
	}
}
