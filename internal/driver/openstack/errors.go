package openstack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// apiError is an answer that says no. Unlike the error of the library it keeps nothing of the
// answer but the message meant for people, and nothing of the request but what it was about.
type apiError struct {
	service, method, path string
	status                int
	kind                  string // Neutron's own name of the error, such as OverQuota
	message               string
	request               string // the id that the service gave it
	wordless              bool   // it came without a body
	before                bool   // it came from what stands before the service
}

// Error tells what was asked and what the service said.
func (e *apiError) Error() string {
	text := fmt.Sprintf("the %s service answered %d %s to %s %s", e.service, e.status, http.StatusText(e.status), e.method, e.path)
	if e.message != "" {
		text += ": " + e.message
	}
	if e.before {
		text += "; that is no answer of the service, but of what stands before it, as where it is away or being set up"
	}
	return text
}

var (
	markupPattern = regexp.MustCompile(`<[^>]*>`)
	// Nova's complaints about a value repeat the value.
	echoPattern = regexp.MustCompile(`(?s)\bValue: .*`)
)

const (
	longestMessage = 400
	// longestReason is for the message of a unit that could not be observed.
	longestReason = 300
	// quotaPause is how long to wait until somebody may have freed something.
	quotaPause = time.Minute
)

// explain turns an error of the library into one that can be shown.
func (s *session) explain(err error, c call) error {
	if err == nil {
		return nil
	}
	var reauth *gophercloud.ErrUnableToReauthenticate
	if errors.As(err, &reauth) {
		if unit.IsBlocked(reauth.ErrReauth) {
			return reauth.ErrReauth
		}
		if !errors.Is(reauth.ErrReauth, errRenewed) {
			err, c = reauth.ErrReauth, loginCall() // the refusal of the old token explains nothing
		}
	}
	if gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) || refusedNewToken(err) {
		s.outgrown()
		return unit.Blocked(fmt.Sprintf("the %s service refuses a token that Keystone has just given to %s: see the log of the service", c.service, s.who))
	}
	path := s.masker.Text(c.path).String() // where a key pair has its name
	var answer gophercloud.ErrUnexpectedResponseCode
	if errors.As(err, &answer) {
		kind, message := readMessage(answer.Body)
		said := &apiError{
			service: c.service, method: c.method, path: path, status: answer.Actual,
			kind: kind, message: shorten(s.masker.Text(message).String()), request: requestID(answer.ResponseHeader),
			wordless: len(bytes.TrimSpace(answer.Body)) == 0, before: foundByNobody(answer),
		}
		if after := asksToWait(answer); after > 0 {
			return &unit.RetryError{After: after, Err: said}
		}
		return said
	}
	return fmt.Errorf("%s %s of the %s service: %w", c.method, path, c.service, &quietError{text: shorten(s.masker.Text(cause(err)).String()), err: err})
}

// foundByNobody tells whether a 404 is a page of what stands before a service, such as an ingress that has nothing behind it. Services
// answer in JSON, or give their id of the request; that something was not found must never count as their word otherwise.
func foundByNobody(answer gophercloud.ErrUnexpectedResponseCode) bool {
	return answer.Actual == http.StatusNotFound && requestID(answer.ResponseHeader) == "" &&
		len(bytes.TrimSpace(answer.Body)) > 0 && !json.Valid(answer.Body)
}

// asksToWait is how long a service that has too much to do asks to be left alone, 0 where it does not.
func asksToWait(answer gophercloud.ErrUnexpectedResponseCode) time.Duration {
	switch answer.Actual {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return max(retryAfter(answer.ResponseHeader, time.Now()), 0)
	}
	return 0
}

// quietError has a text that was masked and keeps the error for errors.Is.
type quietError struct {
	text string
	err  error
}

func (e *quietError) Error() string { return e.text }
func (e *quietError) Unwrap() error { return e.err }

// cause is the text of the innermost error, which names neither URL nor method a second time.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// refusedNewToken tells whether a token was refused that had just been made.
func refusedNewToken(err error) bool {
	var reauth *gophercloud.ErrUnableToReauthenticate
	if errors.As(err, &reauth) {
		return errors.Is(reauth.ErrReauth, errRenewed)
	}
	var after *gophercloud.ErrErrorAfterReauthentication
	return errors.As(err, &after) && gophercloud.ResponseCodeIs(after.ErrOriginal, http.StatusUnauthorized)
}

// readMessage finds the message in the shapes that the services give it.
func readMessage(body []byte) (kind, message string) {
	var document map[string]any
	if json.Unmarshal(body, &document) != nil {
		if text := string(body); strings.Contains(text, "<html") {
			if _, after, ok := strings.Cut(text, "<body"); ok { // Swift's pages have none
				text = "<body" + after
			}
			return "", html.UnescapeString(markupPattern.ReplaceAllString(text, " "))
		}
		return "", ""
	}
	if text, ok := document["message"].(string); ok { // WebOb writes it for a page, though it answers with JSON
		return "", strings.ReplaceAll(text, "<br />", " ")
	}
	for _, key := range slices.Sorted(maps.Keys(document)) { // {"NeutronError": {...}}, {"error": {...}}, {"badRequest": {...}}
		inner, _ := document[key].(map[string]any)
		if text, ok := inner["message"].(string); ok {
			kind, _ = inner["type"].(string)
			return kind, text
		}
	}
	for _, key := range []string{"faultstring", keyDescription, "explanation", "Code"} { // Octavia, Barbican, Heat, a Rados gateway
		if text, ok := document[key].(string); ok {
			return "", text
		}
	}
	for _, key := range slices.Sorted(maps.Keys(document)) { // {"NeutronError": "..."}
		if text, ok := document[key].(string); ok {
			return "", text
		}
	}
	return "", ""
}

func shorten(text string) string {
	return brief(echoPattern.ReplaceAllString(text, ""), longestMessage)
}

// brief makes a single line of a text, cut at so many characters.
func brief(text string, longest int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

// statusIs tells whether the error is an answer with that status.
func statusIs(err error, status int) bool {
	var answer *apiError
	return errors.As(err, &answer) && answer.status == status
}

// notFound tells whether a service has answered that there is no such thing.
func notFound(err error) bool {
	var answer *apiError
	return errors.As(err, &answer) && answer.status == http.StatusNotFound && !answer.before
}

// step is what an error came of.
type step int

const (
	creating step = iota
	updating
	deleting
)

// judge tells errors that a person has to act on from those that pass. A conflict is one with
// something that is there; only while deleting, and for Nova while updating, it is one of timing.
func judge(err error, during step) error {
	var answer *apiError
	if !errors.As(err, &answer) || unit.RetryAfter(err) > 0 { // a kind may know that it passes
		return err
	}
	lower := strings.ToLower(answer.message)
	switch {
	case strings.Contains(lower, "quota"), answer.kind == "OverQuota", answer.status == http.StatusRequestEntityTooLarge:
		return &unit.RetryError{After: quotaPause, Err: err}
	case answer.status == http.StatusBadRequest, answer.status == http.StatusForbidden,
		answer.status == http.StatusConflict && (during == creating || during == updating && answer.service != serviceCompute):
		return unit.Blocked(err.Error())
	}
	return err
}
