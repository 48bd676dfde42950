package gitrepo

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Kind says what an error is about, so that callers can tell whether to wait or to call a person.
type Kind uint8

// The kinds of errors.
const (
	Other        Kind = iota // a retry may help
	Unreachable              // no connection, or it broke, or the server is in trouble: a retry helps
	Refused                  // the credential is missing, wrong or lacks the permission
	UnknownHost              // the SSH server's key is not the known one, or none is known
	NoRepository             // or the server hides it from this credential
	NoRef                    // the repository has no such branch or tag, or is empty
	TooLarge                 // a limit of Options was reached
	Broken                   // the repository's or the cache's content is damaged
	Moved                    // push: the ref is not where it was expected; look again and retry
	Rejected                 // push: the server has a rule against it
	Lost                     // the ref's history does not have the commit, or not any more
	Withheld                 // a guard was against it, and nothing was sent of a push
	Rewound                  // since: the commit does not come after the other one
	Invalid                  // Options make no sense: only other ones help
)

// Error is what all calls of a [Source] return when they fail. It holds no credential.
type Error struct {
	Kind  Kind
	Where string // the URL without user and password; empty when it cannot be read
	Text  string // what happened, and what to do where that is known
	ended error  // context.Canceled, context.DeadlineExceeded, what a guard said, or nil
}

// Error returns the place and what happened.
func (e *Error) Error() string {
	if e.Where == "" {
		return e.Text
	}
	return e.Where + ": " + e.Text
}

// Unwrap returns the context's error when it ended the call, and that of a guard when it did.
func (e *Error) Unwrap() error { return e.ended }

// KindOf returns the kind of an [Error] in err, or Other.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Other
}

// maxCause is how much of a foreign error's text is shown.
const maxCause = 400

// explain makes an Error of what a library returned. masker knows the credentials in use, and late says
// what it did not do in time.
func (r *remote) explain(ctx context.Context, masker *redact.Masker, doing, late string, err error) error {
	if err == nil {
		return nil
	}
	var ours *Error
	if errors.As(err, &ours) {
		return ours
	}
	kind, text := classify(err)
	if text == "" {
		text = clean(masker, err.Error())
	}
	e := &Error{Kind: kind, Where: r.at.display, Text: doing + ": " + text}
	switch ended := endOf(ctx); {
	case errors.Is(ended, context.DeadlineExceeded):
		e.Kind, e.ended, e.Text = Unreachable, ended, doing+": "+late
	case ended != nil:
		e.ended, e.Text = ended, doing+": was cancelled"
	}
	return e
}

// endOf is why a context has ended, nil while it has not. Who waits for a connection until the deadline may be back before
// the context's own timer is.
func endOf(ctx context.Context) error {
	if ends, ok := ctx.Deadline(); ok && ctx.Err() == nil && !time.Now().Before(ends) {
		return context.DeadlineExceeded
	}
	if errors.Is(context.Cause(ctx), errStalled) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// classify returns the kind of a library's error, and a text where the error's own is not wanted.
func classify(err error) (Kind, string) {
	var (
		key      *knownhosts.KeyError
		revoked  *knownhosts.RevokedError
		answered *http.Err
		network  net.Error
		broken   *url.Error
		local    *fs.PathError
	)
	// Its Unwrap is not the standard one.
	var unexpected *plumbing.UnexpectedError
	if errors.As(err, &unexpected) {
		err = unexpected.Err
	}
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired):
		return Refused, "the server asks for a credential or refused the one it was given (401)"
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return Refused, "the server refused access (403): the credential lacks the permission"
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return NoRepository, "there is no such repository, or the credential may not see it"
	case errors.As(err, &key) && len(key.Want) == 0:
		return UnknownHost, "the SSH server is not in the known hosts: add its line, for example the output of ssh-keyscan after checking it"
	case errors.As(err, &key):
		return UnknownHost, "the SSH server showed another key than the known one: either it was replaced, or somebody is in between"
	case errors.As(err, &revoked), strings.Contains(err.Error(), "ssh: certificate serial "):
		return UnknownHost, "the key of the SSH server, or of the authority that has certified it, is revoked in the known hosts"
	case isInvalid(err):
		return UnknownHost, ""
	case strings.Contains(err.Error(), "unable to authenticate"):
		return Refused, "the SSH server refused the key"
	case errors.Is(err, errTooLarge):
		return TooLarge, "the answer is larger than the limit"
	case errors.As(err, &local): // a system call's error looks like the network's
		return Other, ""
	case errors.As(err, &answered):
		return Unreachable, ""
	case errors.As(err, &network), errors.As(err, &broken), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Unreachable, ""
	case errors.Is(err, plumbing.ErrObjectNotFound):
		return Broken, ""
	}
	return Other, ""
}

// ownPort is our end of a connection, as Go's errors of the network name it.
var ownPort = regexp.MustCompile(`([0-9\])]):\d+->`)

// clean makes text from elsewhere fit for one line: masked first, as parts of a secret are not
// recognised, then without control characters, then cut. The port at our end is another with each try, and what tells
// of it would be news each time.
func clean(masker *redact.Masker, text string) string {
	text = masker.Text(text).String()
	text = ownPort.ReplaceAllString(text, "$1->")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }), " ")
	if len(text) > maxCause {
		text = strings.ToValidUTF8(text[:maxCause], "") + "…"
	}
	return text
}

// ownNames are the ends of names in the cache that are others with each try: of repositories, and of files that are being written.
var ownNames = regexp.MustCompile(`(/[0-9a-f]{16}/repository-|/\.new-|/tmp_(?:pack|obj)_|/known-hosts-)[0-9]+`)

// steady has an error say the same each time that the same is wrong with the cache, such as that its disk is full: what names
// a file that was made for this attempt would be news each time.
func steady(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if same := ownNames.ReplaceAllString(text, "$1*"); same != text {
		return &steadyError{same, err}
	}
	return err
}

type steadyError struct {
	text string
	err  error
}

func (s *steadyError) Error() string { return s.text }

func (s *steadyError) Unwrap() error { return s.err }
