package webhook_test

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
)

const secret = "canary-of-the-webhook"

func sign(hash func() hash.Hash, body string) string {
	mac := hmac.New(hash, []byte(secret))
	_, _ = io.WriteString(mac, body) // a hash takes everything
	return hex.EncodeToString(mac.Sum(nil))
}

// desk counts what a receiver tells.
type desk struct {
	webhook.Receiver
	pushed  int
	results []webhook.Result
	fail    error
}

func newDesk() *desk {
	d := &desk{}
	d.Secret = func() (redact.Secret, error) { return redact.NewSecret(secret), d.fail }
	d.Pushed = func() { d.pushed++ }
	d.Counted = func(result webhook.Result) { d.results = append(d.results, result) }
	return d
}

// send sends headers, given as names and values, with a body.
func (d *desk) send(body string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, request)
	return w
}

// Each forge signs in its way; what is not signed, or is about something else, brings nothing about.
func TestForges(t *testing.T) {
	t.Parallel()
	const body = `{"ref":"refs/heads/main"}`
	sum := sign(sha256.New, body)
	for name, test := range map[string]struct {
		headers []string
		want    webhook.Result
		status  int
	}{
		"GitHub":                     {[]string{"X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256=" + sum, "X-Hub-Signature", "sha1=0"}, webhook.Accepted, http.StatusAccepted},
		"GitHub, a ping":             {[]string{"X-GitHub-Event", "ping", "X-Hub-Signature-256", "sha256=" + sum}, webhook.Ignored, http.StatusOK},
		"GitHub, SHA-1 alone":        {[]string{"X-GitHub-Event", "push", "X-Hub-Signature", "sha1=" + sign(sha1.New, body)}, webhook.Refused, http.StatusUnauthorized},
		"GitLab":                     {[]string{"X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", secret}, webhook.Accepted, http.StatusAccepted},
		"GitLab, a tag":              {[]string{"X-Gitlab-Event", "Tag Push Hook", "X-Gitlab-Token", secret}, webhook.Accepted, http.StatusAccepted},
		"GitLab, an issue":           {[]string{"X-Gitlab-Event", "Issue Hook", "X-Gitlab-Token", secret}, webhook.Ignored, http.StatusOK},
		"GitLab, a part":             {[]string{"X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", secret[:8]}, webhook.Refused, http.StatusUnauthorized},
		"Gitea":                      {[]string{"X-Gitea-Event", "push", "X-Gitea-Signature", sum}, webhook.Accepted, http.StatusAccepted},
		"Forgejo":                    {[]string{"X-Forgejo-Event", "push", "X-Gitea-Signature", "0", "X-Forgejo-Signature", sum}, webhook.Accepted, http.StatusAccepted},
		"Forgejo, a comment":         {[]string{"X-Forgejo-Event", "issue_comment", "X-Forgejo-Signature", sum}, webhook.Ignored, http.StatusOK},
		"Bitbucket":                  {[]string{"X-Event-Key", "repo:push", "X-Hub-Signature", "sha256=" + sum}, webhook.Accepted, http.StatusAccepted},
		"Bitbucket's server":         {[]string{"X-Event-Key", "repo:refs_changed", "X-Hub-Signature", "sha256=" + sum}, webhook.Accepted, http.StatusAccepted},
		"anybody":                    {[]string{"X-Signature", "sha256=" + sum}, webhook.Accepted, http.StatusAccepted},
		"nobody":                     {nil, webhook.Refused, http.StatusUnauthorized},
		"no hexadecimal":             {[]string{"X-Signature", "sha256=canary"}, webhook.Refused, http.StatusUnauthorized},
		"an empty one":               {[]string{"X-Signature", "sha256="}, webhook.Refused, http.StatusUnauthorized},
		"of something else":          {[]string{"X-Signature", "sha256=" + sign(sha256.New, body+" ")}, webhook.Refused, http.StatusUnauthorized},
		"a stronger one that is bad": {[]string{"X-Signature", "sha256=" + sum, "X-Hub-Signature-256", "sha256=00"}, webhook.Refused, http.StatusUnauthorized},
	} {
		d := newDesk()
		w := d.send(body, test.headers...)
		if len(d.results) != 1 || d.results[0] != test.want || w.Code != test.status || (d.pushed == 1) != (test.want == webhook.Accepted) {
			t.Errorf("%s: %v, %d, %d", name, d.results, w.Code, d.pushed)
		}
		if strings.Contains(w.Body.String(), "canary") {
			t.Errorf("%s: the answer is %q", name, w.Body)
		}
	}
}

// TestForms has forges send forms, as each of them can be told to: what Gitea and Forgejo sign is the text in it, and what
// GitHub signs is the form. The same text in a form that is written otherwise was there before.
func TestForms(t *testing.T) {
	t.Parallel()
	const text = `{"ref":"refs/heads/main"}`
	form, again := "payload="+url.QueryEscape(text), "other=&payload="+url.PathEscape(text)
	of := func(body string) string { return sign(sha256.New, body) }
	gitea := func(sum string) []string {
		return []string{"X-Gitea-Event", "push", "X-Gitea-Signature", sum, "X-Hub-Signature-256", "sha256=" + sum, "X-GitHub-Event", "push"}
	}
	for name, test := range map[string]struct {
		body    string
		headers []string
		want    webhook.Result
	}{
		"Gitea":                 {form, gitea(of(text)), webhook.Accepted},
		"Gitea, otherwise":      {again, gitea(of(text)), webhook.Accepted},
		"Forgejo":               {form, []string{"X-Forgejo-Event", "push", "X-Forgejo-Signature", of(text)}, webhook.Accepted},
		"Gitea, another text":   {form, gitea(of(text + " ")), webhook.Refused},
		"Gitea, the form":       {form, gitea(of(form)), webhook.Refused},
		"Gitea, nothing in it":  {"a=b", gitea(of(text)), webhook.Refused},
		"Gitea, no form at all": {"payload=%zz", gitea(of("")), webhook.Invalid},
		"GitHub":                {form, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256=" + of(form)}, webhook.Accepted},
		"GitHub, the text":      {form, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256=" + of(text)}, webhook.Refused},
	} {
		d := newDesk()
		d.send(test.body, append(test.headers, "Content-Type", "application/x-www-form-urlencoded; charset=utf-8")...)
		if !slices.Equal(d.results, []webhook.Result{test.want}) {
			t.Errorf("%s: %v", name, d.results)
		}
	}
	d := newDesk()
	for _, body := range []string{form, again} {
		d.send(body, append(gitea(of(text)), "Content-Type", "application/x-www-form-urlencoded")...)
	}
	d.send(text, gitea(of(text))...)
	if !slices.Equal(d.results, []webhook.Result{webhook.Accepted, webhook.Repeated, webhook.Repeated}) || d.pushed != 1 {
		t.Errorf("the same text again: %v, %d", d.results, d.pushed)
	}
}

// A request that is sent again brings nothing about, under whatever id, and however many have come since that are still
// known. Where the body is not signed, another one of the same content does.
func TestRepeated(t *testing.T) {
	t.Parallel()
	d := newDesk()
	send := func(body, delivery string) {
		d.send(body, "X-Signature", "sha256="+sign(sha256.New, body), "X-Request-Id", delivery)
	}
	send("a", "1")
	send("a", "1")
	send("a", "2")
	send("b", "1")
	send("a", "1")
	if got, r := d.results, webhook.Repeated; d.pushed != 2 || !slices.Equal(got, []webhook.Result{webhook.Accepted, r, r, webhook.Accepted, r}) {
		t.Errorf("%d, %v", d.pushed, got)
	}

	d = newDesk()
	for _, id := range []string{"1", "2", "1"} {
		d.send("a", "X-Gitlab-Token", secret, "X-Gitlab-Event-UUID", id)
	}
	if got := d.results; !slices.Equal(got, []webhook.Result{webhook.Accepted, webhook.Accepted, webhook.Repeated}) {
		t.Errorf("with a token: %v", got)
	}
}

// TestForgetsTheOldest: of requests the last 1,024 are known again, so that those of years take up no memory.
func TestForgetsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		const known = 1024
		for i := range known + 1 {
			body := strconv.Itoa(i)
			d.send(body, "X-Signature", "sha256="+sign(sha256.New, body))
			time.Sleep(time.Second / 4) // for the bound of requests in a second
		}
		d.results = nil
		for _, body := range []string{"1", strconv.Itoa(known), "0"} {
			d.send(body, "X-Signature", "sha256="+sign(sha256.New, body))
		}
		if want := []webhook.Result{webhook.Repeated, webhook.Repeated, webhook.Accepted}; !slices.Equal(d.results, want) {
			t.Errorf("got %v, want %v", d.results, want)
		}
	})
}

// However many ask, few are looked at, and nobody makes the process read without end.
func TestBounds(t *testing.T) {
	t.Parallel()
	d := newDesk()
	limited := 0
	for i := range 200 {
		body := strconv.Itoa(i)
		if w := d.send(body, "X-Signature", "sha256="+sign(sha256.New, body)); w.Code == http.StatusTooManyRequests {
			if limited++; w.Header().Get("Retry-After") == "" {
				t.Error("it does not say when to try again")
			}
		}
	}
	if limited == 0 || d.pushed == 0 || d.pushed+limited != 200 {
		t.Errorf("%d were taken, %d were not", d.pushed, limited)
	}

	d = newDesk()
	large := httptest.NewRequest(http.MethodPost, "/webhook", io.LimitReader(zeros{}, 5<<20))
	large.Header.Set("X-Signature", "sha256=00")
	w := httptest.NewRecorder()
	if d.ServeHTTP(w, large); d.results[0] != webhook.Invalid || w.Code != http.StatusBadRequest {
		t.Errorf("%v, %d", d.results, w.Code)
	}
	d.fail = errors.New("canary")
	if w := d.send("a", "X-Signature", "sha256=00"); d.results[1] != webhook.Failed || w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "canary") {
		t.Errorf("%v, %d, %s", d.results, w.Code, w.Body)
	}
}

// Who sends headers and no body keeps out nobody, and is sent away soon.
func TestBodiesThatDoNotCome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, counted := newDesk(), make(chan webhook.Result, 16)
		d.Counted = func(result webhook.Result) { counted <- result }
		listener := pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: &d.Receiver}
		go func() { _ = server.Serve(listener) }() // it ends with the server
		defer server.Close()

		began := time.Now()
		const idle = 16
		var waiting []net.Conn
		for range idle {
			c := listener.dial()
			_, _ = io.WriteString(c, "POST /webhook HTTP/1.1\r\nHost: x\r\nX-Signature: sha256=00\r\nContent-Length: 100\r\n\r\n")
			waiting = append(waiting, c)
		}
		synctest.Wait()
		if len(counted) != 0 {
			t.Fatalf("before a body: %s", <-counted)
		}
		c := listener.dial()
		_, _ = io.WriteString(c, "POST /webhook HTTP/1.1\r\nHost: x\r\nX-Signature: sha256="+sign(sha256.New, "{}")+"\r\nContent-Length: 2\r\n\r\n{}")
		if got := answer(t, c); got != http.StatusAccepted || <-counted != webhook.Accepted || time.Since(began) != 0 {
			t.Errorf("a push beside them: %d after %v", got, time.Since(began))
		}
		for _, c := range waiting {
			if got := answer(t, c); got != http.StatusBadRequest || <-counted != webhook.Invalid {
				t.Errorf("one without a body: %d", got)
			}
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("they were there for %v", took)
		}
	})
}

func answer(t *testing.T, c net.Conn) int {
	t.Helper()
	defer c.Close()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

// pipes is a listener whose connections need no network, so that the time of a test is not that of the machine.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
}

func (p pipes) dial() net.Conn {
	mine, theirs := net.Pipe()
	p.dialed <- theirs
	return mine
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	close(p.closed)
	return nil
}

func (pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Whatever a request holds, only one that is signed brings something about. A form is read before it is known whose it is, so
// each body is sent as one as well, and with the signature that its sender would have for it: that brings something about
// unless it cannot be read, and not a second time.
func FuzzReceiver(f *testing.F) {
	f.Add("X-Hub-Signature-256", "sha256=00", "push", "{}")
	f.Add("X-Gitlab-Token", "token", "Push Hook", "")
	f.Add("X-Gitea-Signature", "00", "", "\x00")
	for _, form := range []string{"payload=%7B%7D", "payload=a&payload=b", "payload=%zz", "a;payload=b", "&=&payload", "payload=%00%ff+%2B"} {
		f.Add("X-Gitea-Signature", sign(sha256.New, ""), "push", form)
	}
	f.Fuzz(func(t *testing.T, name, value, event, body string) {
		d := newDesk()
		d.send(body, name, value, "X-GitHub-Event", event)
		if d.pushed != 0 && !strings.Contains(value, sign(sha256.New, body)) && value != secret {
			t.Errorf("%s: %s passes", name, value)
		}

		const asForm = "application/x-www-form-urlencoded"
		fields, err := url.ParseQuery(body)
		sum := sign(sha256.New, fields.Get("payload"))
		d = newDesk()
		d.send(body, "X-Gitea-Signature", value, "X-Gitea-Event", "push", "Content-Type", asForm)
		if d.pushed != 0 && value != sum {
			t.Errorf("a form with %s passes", value)
		}
		d = newDesk()
		want := []webhook.Result{webhook.Accepted, webhook.Repeated}
		if err != nil {
			want = []webhook.Result{webhook.Invalid, webhook.Invalid}
		}
		for range want {
			d.send(body, "X-Gitea-Signature", sum, "X-Gitea-Event", "push", "Content-Type", asForm)
		}
		if !slices.Equal(d.results, want) || d.pushed > 1 {
			t.Errorf("a form that is signed: %v and %d, want %v", d.results, d.pushed, want)
		}
		d = newDesk()
		d.send(body, "X-Signature", "sha256="+sign(sha256.New, body))
		if d.pushed != 1 {
			t.Errorf("what is signed: %v", d.results)
		}
	})
}
