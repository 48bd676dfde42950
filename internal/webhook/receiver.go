package webhook

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v84/github"
	"golang.org/x/time/rate"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Result is what became of a request.
type Result string

// The results.
const (
	Accepted Result = "accepted" // the repository is looked at
	Ignored  Result = "ignored"  // it is about something else than a push
	Repeated Result = "repeated" // it was there before
	Refused  Result = "refused"  // its signature is missing or wrong
	Limited  Result = "limited"  // there are too many
	Invalid  Result = "invalid"  // it is no request of a webhook
	Failed   Result = "failed"   // the secret could not be read
)

const (
	// maxBody is the size of a request's body, which has to be read before it is known whose it is. What a forge
	// tells of a push is much less, and a poll finds a push that is told in more.
	maxBody = 1 << 20
	// bodyWithin is how long a body may take. With perSecond and burst it bounds how many are read at the same time, 45,
	// and so the memory that bodies take; what headers and connections take is bounded by who listens. None waits for
	// another one, so that those which do not come keep out nobody.
	bodyWithin = 5 * time.Second
	// remembered is how many requests are known again, until the process ends. One that is not has the repository looked at
	// once more, which finds what is there now. What it says of commits cannot tell whether it is old: who sets a branch back
	// pushes an older commit.
	remembered = 1024
	// perSecond and burst bound the requests that are looked at, whoever sends them.
	perSecond, burst = 5, 20
)

// Receiver answers the requests of webhooks. It may be used by many goroutines.
type Receiver struct {
	// Secret returns what requests are signed with. It is asked for each, so that it can be exchanged.
	Secret func() (redact.Secret, error)
	// Pushed is called after a request that is genuine and new. It must not wait.
	Pushed func()
	// Counted is told the result of each request.
	Counted func(Result)

	limit *rate.Limiter
	once  sync.Once

	mutex sync.Mutex
	seen  map[[sha256.Size]byte]bool
	order [][sha256.Size]byte // of seen, the oldest first
}

// ServeHTTP implements [http.Handler].
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	result := r.judge(w, request)
	r.Counted(result)
	switch result {
	case Accepted:
		r.Pushed()
		w.WriteHeader(http.StatusAccepted)
	case Ignored, Repeated:
		w.WriteHeader(http.StatusOK)
	case Refused:
		http.Error(w, "the signature is missing or wrong", http.StatusUnauthorized)
	case Limited:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
	case Failed:
		http.Error(w, "the secret cannot be read", http.StatusInternalServerError)
	default:
		http.Error(w, "this is no request of a webhook", http.StatusBadRequest)
	}
}

// judge tells what a request is. What is signed is its body, or a text in that.
func (r *Receiver) judge(w http.ResponseWriter, request *http.Request) Result {
	r.once.Do(func() { r.limit = rate.NewLimiter(perSecond, burst) })
	// One that is turned away has its body read too, by the server, so this comes first. It fails for a writer without
	// a connection, where nothing is waited for.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyWithin))
	if !r.limit.Allow() {
		return Limited
	}
	sender, ok := senderOf(request.Header)
	if !ok {
		return Refused
	}
	secret, err := r.Secret()
	if err != nil {
		return Failed
	}
	// GitLab may have a token and a key to sign with, and sends the token and a signature then: the secret says which of them
	// we were given. The other one counts for nothing, also where it makes one request look like two.
	if !strings.HasPrefix(secret.Reveal(), standardSecret) {
		sender.standard = standard{}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err == nil && sender.form {
		body, err = payload(body)
	}
	switch {
	case err != nil:
		return Invalid
	case !sender.genuine(body, []byte(secret.Reveal())):
		return Refused
	case !sender.push:
		return Ignored
	case r.knows(sender, body):
		return Repeated
	}
	return Accepted
}

// knows tells whether a request was there before. Where the body is what is signed it goes by that alone: whoever has seen a
// request could send it again under another id. Without a signature the id is as good as the rest.
func (r *Receiver) knows(s sender, body []byte) bool {
	sum := sha256.New()
	switch {
	case s.standard.signatures != "": // the id and the time are signed as well
		_, _ = io.WriteString(sum, s.standard.id+"."+s.standard.sent+".") // a hash takes everything
	case s.token != "":
		_, _ = io.WriteString(sum, s.delivery+"\n") // as above
	}
	_, _ = sum.Write(body)
	key := [sha256.Size]byte(sum.Sum(nil))
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.seen[key] {
		return true
	}
	if r.seen == nil {
		r.seen = map[[sha256.Size]byte]bool{}
	}
	if len(r.order) == remembered {
		delete(r.seen, r.order[0])
		r.order = r.order[1:]
	}
	r.seen[key], r.order = true, append(r.order, key)
	return false
}

// sender is who a request is of, by its headers.
type sender struct {
	signature string // of the body, with the name of the hash before it
	token     string // in place of a signature
	standard  standard
	form      bool // what is signed is a text in a form
	push      bool
	delivery  string // its id
}

// senderOf reads the headers of a request; false means that nothing proves whose it is. Where they come from: GitHub's
// "Validating webhook deliveries", GitLab's "Validate payloads by using a secret token" and "Signing tokens", Gitea's and
// Forgejo's "Webhooks", Bitbucket's "Secure webhooks".
func senderOf(h http.Header) (sender, bool) {
	s := sender{push: pushed(h), standard: standardOf(h), delivery: first(h, "X-GitHub-Delivery", "X-Gitlab-Event-UUID", "X-Gitea-Delivery", "X-Forgejo-Delivery", "X-Request-UUID", "X-Request-Id")}
	switch plain := first(h, "X-Forgejo-Signature", "X-Gitea-Signature"); {
	case h.Get("X-Hub-Signature-256") != "":
		s.signature = h.Get("X-Hub-Signature-256")
	case plain != "":
		s.signature = sha256Prefix + plain
	case h.Get("X-Gitlab-Token") != "":
		s.token = h.Get("X-Gitlab-Token")
	default:
		s.signature = first(h, "X-Signature", "X-Hub-Signature") // Bitbucket has the second with SHA-256, GitHub with SHA-1
	}
	// Gitea and Forgejo sign the text before they put it into a form, GitHub does afterwards.
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	s.form = err == nil && kind == "application/x-www-form-urlencoded" && first(h, "X-Forgejo-Signature", "X-Gitea-Signature") != ""
	return s, s.token != "" || s.standard.signatures != "" || strings.HasPrefix(s.signature, sha256Prefix)
}

// payload returns the text that a forge has put into a form. It is what requests are known by, as there are many ways to
// write the same form.
func payload(form []byte) ([]byte, error) {
	values, err := url.ParseQuery(string(form))
	return []byte(values.Get("payload")), err
}

const sha256Prefix = "sha256="

func (s sender) genuine(body, secret []byte) bool {
	if s.standard.signatures != "" {
		return s.standard.genuine(body, string(secret), time.Now())
	}
	if s.token != "" {
		got, want := sha256.Sum256([]byte(s.token)), sha256.Sum256(secret)
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
	return github.ValidateSignature(s.signature, body, secret) == nil
}

// pushed tells whether a request is about refs that have changed. One that does not say what it is about is.
func pushed(h http.Header) bool {
	switch event := strings.ToLower(first(h, "X-GitHub-Event", "X-Gitea-Event", "X-Forgejo-Event", "X-Gitlab-Event", "X-Event-Key")); event {
	case "", "push", "create", "delete", // GitHub, Gitea, Forgejo
		"push hook", "tag push hook", "system hook", // GitLab
		"repo:push", "repo:refs_changed": // Bitbucket's cloud and server
		return true
	default:
		return false
	}
}

func first(h http.Header, names ...string) string {
	for _, name := range names {
		if value := h.Get(name); value != "" {
			return value
		}
	}
	return ""
}
