package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestNumberOutOfRange has the text fit a number that is short and far too large.
func TestNumberOutOfRange(t *testing.T) {
	for _, number := range []string{"1e400", "1e-400", strings.Repeat("9", 101)} {
		_, diags := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte("network \"a\" {\n  mtu = " + number + "\n}\n")}}, ".", config.DefaultLimits())
		found := false
		for _, d := range diags {
			found = found || d.Summary == "number out of range" && d.Detail == "a number can have at most 100 digits, and an exponent from -100 to 100"
		}
		if !found {
			t.Errorf("%s: %v", number, diags)
		}
	}
}

// TestNumberOutOfRangeIsForgotten formats a file that was mended, under the name that it had before.
func TestNumberOutOfRangeIsForgotten(t *testing.T) {
	f := config.NewFormatter(config.DefaultLimits())
	if _, diags := f.Format([]byte("a=1e400\n"), "main.hcl"); !diags.HasErrors() {
		t.Fatal("the number is taken")
	}
	if got, diags := f.Format([]byte("a=1e4\n"), "main.hcl"); len(diags) > 0 || string(got) != "a = 1e4\n" {
		t.Errorf("got %q, %v", got, diags)
	}
}
