//go:build beds

package daemon_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

const hookSecret = "canary-of-the-webhook"

// hook sends a push as GitHub does, and returns what is answered.
func (l *lab) hook(method, signedWith, body string) int {
	l.t.Helper()
	request, err := http.NewRequestWithContext(l.t.Context(), method, l.hooks, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(signedWith))
	mac.Write([]byte(body))
	request.Header.Set("X-GitHub-Event", "push")
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		l.t.Fatal(err)
	}
	_ = response.Body.Close() // nothing is in there
	return response.StatusCode
}

// A push is taken up when the forge tells of it, long before the next poll, and nobody else can bring that about.
func TestWebhook(t *testing.T) {
	l := start(t, testbed.Cluster(t), func(l *lab) revision.Source {
		l.interval = time.Hour
		return directory(l)
	}, nil)
	l.ready()
	await.Until(t, "the first poll", func() bool { return strings.Contains(l.get200("/metrics"), `kupenstack_polls_total{result="new"} 1`) })
	write(t, l.dir, "main.hcl", configuration+"\nproject \"hooked\" {}\n")
	if got := l.hook(http.MethodPost, "another secret", "{}"); got != http.StatusUnauthorized {
		t.Errorf("with another secret: %d", got)
	}
	if got := l.hook(http.MethodGet, hookSecret, ""); got != http.StatusMethodNotAllowed {
		t.Errorf("a GET: %d", got)
	}
	l.set("secret", errors.New("it is away"))
	if got := l.hook(http.MethodPost, hookSecret, "{}"); got != http.StatusInternalServerError {
		t.Errorf("without the secret: %d", got)
	}
	if status, text := l.ask("/readyz"); status != http.StatusServiceUnavailable || text != "secret for webhooks: it is away\n" {
		t.Errorf("/readyz is %d: %s", status, text)
	}
	l.set("secret", nil)
	if text := l.get200("/metrics"); !strings.Contains(text, `kupenstack_polls_total{result="new"} 1`) || !strings.Contains(text, `kupenstack_webhooks_total{result="refused"} 1`) {
		t.Errorf("after these:\n%s", text)
	}
	if got := l.hook(http.MethodPost, hookSecret, "{}"); got != http.StatusAccepted {
		t.Errorf("a push: %d", got)
	}
	l.ready()
	await.Until(t, "the second poll", func() bool { return strings.Contains(l.get200("/metrics"), `kupenstack_polls_total{result="new"} 2`) })
	if got := l.hook(http.MethodPost, hookSecret, "{}"); got != http.StatusOK {
		t.Errorf("the same again: %d", got)
	}
	if text := l.get200("/metrics"); !strings.Contains(text, `kupenstack_webhooks_total{result="repeated"} 1`) || strings.Contains(text, hookSecret) {
		t.Errorf("at the end:\n%s", text)
	}
}
