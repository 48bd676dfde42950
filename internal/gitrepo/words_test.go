package gitrepo

import (
	"errors"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// TestWordsThatWereCut: a server that says a credential again and again is cut short in the midst of one, and nothing of it is shown.
func TestWordsThatWereCut(t *testing.T) {
	secret := strings.Repeat("CANARY-", 100)
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret(secret))
	for _, chunk := range []int{1, 100, enoughWords, 2 * enoughWords} {
		var words firstWords
		for text := strings.Repeat("no "+secret, 7); text != ""; {
			n := min(chunk, len(text))
			if wrote, err := words.Write([]byte(text[:n])); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			text = text[n:]
		}
		err := words.explain()
		if shown := clean(masker, err.Error()); strings.Contains(shown, "CAN") || strings.Count(shown, redact.Mask) != 6 || !strings.HasSuffix(shown, redact.Mask+cutOff) {
			t.Errorf("written %d at a time it is shown as %s", chunk, shown)
		}
	}
	var words firstWords
	_, _ = words.Write([]byte(strings.Repeat("x", enoughWords)))
	if err := words.explain(); strings.Contains(err.Error(), cutOff) || errors.Unwrap(err) == nil {
		t.Errorf("all of it is shown as %v", err)
	}
}
