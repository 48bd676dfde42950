package gitrepo

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// answering answers every request with a text.
type answering string

func (a answering) RoundTrip(*nethttp.Request) (*nethttp.Response, error) {
	answer := httptest.NewRecorder()
	answer.WriteHeader(nethttp.StatusBadGateway)
	_, _ = answer.WriteString(string(a))
	return answer.Result(), nil
}

// What is read of a page that says why a request failed may end in the midst of a credential, and the page may be empty up to that.
func TestNothingIsShownOfAPageThatIsCut(t *testing.T) {
	const secret = "canary-of-the-repository"
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret(secret))
	for _, before := range []int{0, maxErrorBody - 10, maxErrorBody - len(secret), maxErrorBody} {
		request := httptest.NewRequestWithContext(t.Context(), nethttp.MethodGet, "https://git.example.org/info/refs", nethttp.NoBody)
		response, err := (&limited{to: answering(strings.Repeat("\n", before) + secret + secret)}).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || len(text) > maxErrorBody+len(cutOff) || len(text) < min(before, maxErrorBody) {
			t.Errorf("behind %d bytes %d were read, error %v", before, len(text), err)
		}
		if shown := clean(masker, string(text)); strings.Contains(shown, "canary") {
			t.Errorf("behind %d bytes it is shown as %s", before, shown)
		}
	}
}
