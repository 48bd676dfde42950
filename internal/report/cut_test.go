package report

import (
	"strings"
	"testing"
)

// TestCredentialsInURLsThatWereCut: wherever somebody has cut a text before it came here, nothing is left of a credential in a
// URL that it has.
func TestCredentialsInURLsThatWereCut(t *testing.T) {
	for _, url := range []string{
		"https://user:CANARY-WORD@git.example.org/cloud.git", "https://CANARY@git.example.org/cloud.git", "rabbit://user:CANARY/WORD@mq:5672/v",
		"https://git.example.org/cloud.git?ref=main&private_token=CANARY",
	} {
		text := "clone " + url + ": refused"
		for at := range len(text) {
			for _, part := range []string{text[:at] + "…", "…" + text[at:]} {
				if strings.HasPrefix(part, "…") && strings.Contains(url, "?") && !strings.Contains(part, "token=") {
					continue // nothing says what that is the end of
				}
				for _, shown := range []string{line(part, 1000), block(part, 1000)} {
					if strings.ContainsAny(shown, "CANRYWOD") {
						t.Errorf("%q is shown as %q", part, shown)
					}
				}
			}
		}
	}
	for text, want := range map[string]string{
		"see https://docs.example.org/some/page…": "see https://docs.example.org/some/page…", "https://127.0.0.1:5000/v3…": "https://127.0.0.1:5000/v3…",
		"a write: locals { … }": "a write: locals { … }", "set([…]) me@example.org": "set([…]) me@example.org", "it failed… me@example.org": "it failed… me@example.org",
		"https://docs.exam…": "https://(sensitive)…", // nobody knows what would have come
		"ssh://git@host/x…":  "ssh://git@host/x…",
	} {
		if got := line(text, 1000); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
