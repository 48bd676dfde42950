package helm

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestReleasesThatAreNone: what is in a Secret of a release may have been put there by anybody.
func TestReleasesThatAreNone(t *testing.T) {
	many := func(part string, n int) []byte {
		return slices.Concat([]byte(`{"info":{"status":"deployed"},"hooks":[`), bytes.Repeat([]byte(part+","), n-1), []byte(part+"]}"))
	}
	for _, test := range []struct {
		name string
		text []byte
		want string
	}{
		{"a release", []byte(storedRelease), ""},
		{"many hooks", many("{}", 1000), ""},
		{"a bomb of hooks", many("{}", maxParts), "it has more than 524288 objects and lists"},
		{"a bomb of blanks", bytes.Repeat([]byte(" "), maxRelease+1), "it unpacks to more than 32 MiB"},
		{"a hook that is none", many("null", 2), "one of its hooks is none"},
		{"no status", []byte(`{"name":"keystone"}`), "it has no status"},
		{"a list", []byte(`["canary-1"]`), "it is no release of Helm 3"},
	} {
		decoded, err := decode(packed(t, test.text))
		if test.want == "" {
			if err != nil || decoded == nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	decoded, err := decode(packed(t, []byte(`{"info":{},"chart":{"metadata":{"dependencies":[null,{"name":"helm-toolkit"}]}}}`)))
	if err != nil || !usesToolkit(decoded.Chart) {
		t.Errorf("beside a dependency that is none: %v", err)
	}
}
