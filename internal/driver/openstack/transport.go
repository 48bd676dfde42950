package openstack

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// The bounds of one request.
const (
	dialLimit    = 10 * time.Second
	headerLimit  = time.Minute // Neutron takes long for a full list of a large cloud
	requestLimit = 2 * time.Minute
	bodyLimit    = 64 << 20
	idleLimit    = 90 * time.Second
	keptAtOnce   = 16 // connections to one host that are kept for what comes next
	attempts     = 4
	firstPause   = 200 * time.Millisecond
	longestPause = 10 * time.Second
	longestAsked = 10 * time.Minute // of what a service asks to wait: its clock, or what stands before it, may be wrong
)

// transport guards, repeats and bounds requests. It repeats a request only where that can do no
// harm: one that reads, after a failure of the connection, of a gateway or of the service itself, as
// services answer 500 when their database or their broker was away for a moment; and any other only
// after an answer 429, by which a server says that it has done nothing. Where a server asks to wait longer than anything
// here waits, nothing is repeated: the error says for how long, and whoever tries again later goes by that.
type transport struct {
	base   http.RoundTripper
	guard  func() error // nil allows everything
	reads  func() error // the same before requests that change nothing
	sent   func()       // nil when nobody counts
	agent  string
	log    zerolog.Logger
	masker *redact.Masker // of paths; nil where nothing is hidden
}

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.agent != "" {
		request = request.Clone(request.Context())
		request.Header.Set("User-Agent", t.agent)
	}
	for attempt := 1; ; attempt++ {
		ask, send := guard.Reading(request.Context(), t.reads), guard.Read
		if mutates(request) {
			ask, send = t.guard, guard.Send
		}
		if ask != nil {
			if err := ask(); err != nil {
				return nil, err
			}
		}
		if t.sent != nil {
			t.sent()
		}
		response, err := send(t.base, request, ask)
		again := attempt < attempts && repeatable(request, response, err)
		if again && !t.rewind(&request) {
			again = false
		}
		if !again {
			if response != nil && response.Body != nil {
				response.Body = &boundedBody{ReadCloser: response.Body, left: bodyLimit}
			}
			t.note(request, response)
			noteOutcome(request, response, err)
			return response, err
		}
		wait := pause(attempt, response)
		if response != nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
			response.Body.Close()
		}
		if err := sleep(request.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// note logs an answer that says no, with the id by which it is found in the log of the service. The id is
// another one with each request, so it has no place in what is reported of a unit.
func (t *transport) note(request *http.Request, response *http.Response) {
	if response == nil || response.StatusCode < http.StatusBadRequest || response.StatusCode == http.StatusNotFound {
		return
	}
	level := zerolog.DebugLevel // such as a token that ran out
	if refuses(response.StatusCode) || response.StatusCode >= http.StatusInternalServerError {
		level = zerolog.InfoLevel
	}
	at := request.URL.Path
	if t.masker != nil {
		at = t.masker.Text(at).String()
	}
	t.log.WithLevel(level).Str("method", request.Method).Str("host", request.URL.Host).Str("path", at).
		Int("status", response.StatusCode).Str("request_id", requestID(response.Header)).Msg("OpenStack says no")
}

// refuses tells whether an answer turns down what was asked for: as it stands, by policy, in the state that things
// are in, or by a quota.
func refuses(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		return true
	default:
		return false
	}
}

// requestID returns the id that a service gave a request, "" for none and for what does not look like one.
func requestID(header http.Header) string {
	for _, name := range []string{"X-Openstack-Request-Id", "X-Compute-Request-Id"} {
		id := header.Get(name)
		if rest, ok := strings.CutPrefix(id, "req-"); ok && len(rest) == 36 && strings.Trim(rest, "0123456789abcdef-") == "" {
			return id
		}
	}
	return swiftID.FindString(header.Get("X-Trans-Id"))
}

// swiftID is how Swift, and what stands in for it, names a request, without what may follow.
var swiftID = regexp.MustCompile(`^tx[0-9a-f]{21}-[0-9a-f]{10}`)

// rewind gives the request its body again; it fails for a body that can be read only once.
func (t *transport) rewind(request **http.Request) bool {
	if (*request).Body == nil || (*request).Body == http.NoBody {
		return true
	}
	if (*request).GetBody == nil {
		return false
	}
	body, err := (*request).GetBody()
	if err != nil {
		return false
	}
	*request = (*request).Clone((*request).Context())
	(*request).Body = body
	return true
}

// mutates tells whether the request changes what others see. Asking for a token does not.
func mutates(request *http.Request) bool {
	return !reads(request) && !strings.HasSuffix(request.URL.Path, "/auth/tokens")
}

// reads tells whether a request changes nothing. Cinder gives a volume type its QoS, and takes it away, by a GET.
func reads(request *http.Request) bool {
	switch path.Base(request.URL.Path) {
	case pathAssociate, pathDisassociate:
		return false
	}
	return request.Method == http.MethodGet || request.Method == http.MethodHead
}

func repeatable(request *http.Request, response *http.Response, err error) bool {
	if request.Context().Err() != nil {
		return false
	}
	if err != nil {
		return reads(request) && !refused(err)
	}
	if retryAfter(response.Header, time.Now()) > longestPause {
		return false
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return reads(request)
	}
	return false
}

// refused tells that nothing listens: waiting a moment does not help.
func refused(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// pause grows with the attempts, has jitter, and follows what the answer asks for, within bounds.
func pause(attempt int, response *http.Response) time.Duration {
	wait := firstPause << (attempt - 1)
	if response != nil {
		wait = max(wait, retryAfter(response.Header, time.Now()))
	}
	wait = min(wait, longestPause)
	return wait + rand.N(wait/4+1) //nolint:gosec // jitter needs no secrecy
}

// retryAfter is how long a server asks to wait, in seconds or until a date, within bounds; 0 or less when it does not. The
// date is by the server's clock, which the answer tells.
func retryAfter(header http.Header, now time.Time) time.Duration {
	after := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(min(seconds, int(longestAsked/time.Second))) * time.Second
	}
	until, err := http.ParseTime(after)
	if err != nil {
		return 0
	}
	if theirs, err := http.ParseTime(header.Get("Date")); err == nil {
		now = theirs
	}
	return min(until.Sub(now), longestAsked)
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// boundedBody fails instead of filling the memory.
type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errors.New("the answer is too long")
	}
	return n, err
}
