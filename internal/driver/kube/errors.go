package kube

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// ErrConflict says that somebody else wrote in between. Reading again and then writing helps.
var ErrConflict = errors.New("somebody else has changed it in between")

// RefusedError says that the API server does not accept our credentials (401) or does not allow
// us what we asked for (403). Trying again helps only after a person has changed something.
type RefusedError struct {
	Code int
	text string
	err  error
}

// Error says what was refused.
func (e *RefusedError) Error() string { return e.text }

// Unwrap returns the API server's own words.
func (e *RefusedError) Unwrap() error { return e.err }

// Refused tells others that know the error by its method only which code the server gave.
func (e *RefusedError) Refused() int { return e.Code }

// ImmutableError says that the API server does not let a field change while the object lives.
// Nothing was changed. Trying again does not help.
type ImmutableError struct {
	Ref    unit.ObjectRef
	Fields []string // the paths, as far as the server names them
	err    error
}

// Error names the object and the fields.
func (e *ImmutableError) Error() string {
	if len(e.Fields) == 0 {
		return fmt.Sprintf("%s cannot be changed in place", e.Ref)
	}
	return fmt.Sprintf("%s cannot be changed in place: %s", e.Ref, strings.Join(e.Fields, ", "))
}

// Unwrap returns the API server's own words.
func (e *ImmutableError) Unwrap() error { return e.err }

// Immutable returns the fields; it lets others recognise the error by its method.
func (e *ImmutableError) Immutable() []string { return e.Fields }

// UnknownKindError says that the API server does not serve a kind, so an object of it cannot be
// made. Trying again helps once its definition is there.
type UnknownKindError struct {
	Ref unit.ObjectRef
}

// Error names the kind.
func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("%s cannot be made: the cluster does not know the kind %s of %s", e.Ref, e.Ref.Kind, e.Ref.APIVersion)
}

// PartialError says which objects are unknown although others could be looked at.
type PartialError struct {
	unknown map[unit.ObjectRef]error
	err     error
}

// Error tells each cause once.
func (e *PartialError) Error() string { return e.err.Error() }

// Unwrap returns the causes.
func (e *PartialError) Unwrap() error { return e.err }

// Unknown returns why nothing is known about an object, or nil when the answer holds for it.
func (e *PartialError) Unknown(ref unit.ObjectRef) error { return e.unknown[ref] }

// explainError adds what was tried, and turns refusals into a [RefusedError]. It returns nil for
// nil. The text of the server may quote what was sent, so it is masked.
func (c *Cluster) explainError(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsUnauthorized(err):
		return &RefusedError{Code: 401, err: err, text: fmt.Sprintf(
			"%s: the cluster at %s does not accept our credentials (401): check the kubeconfig or service account", doing, c.config.Host)}
	case apierrors.IsForbidden(err) && !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) && deniedByRules(err):
		return &RefusedError{Code: 403, err: err, text: fmt.Sprintf("%s: the cluster does not allow it (403): %s", doing, c.mask(err.Error()))}
	case c.mask(err.Error()) != err.Error():
		return &maskedError{text: doing + ": " + c.mask(err.Error()), err: err}
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// maskedError is an error whose own text would have shown a secret.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }

// deniedByRules tells a refusal by the authorizer from one by admission, such as a quota, which
// may go away by itself.
func deniedByRules(err error) bool {
	return strings.Contains(err.Error(), " cannot ")
}

// Mask takes out of a text what is known of secrets.
func (c *Cluster) Mask(text string) string { return c.mask(text) }

func (c *Cluster) mask(text string) string {
	if c.masker == nil {
		return text
	}
	return c.masker.Text(text).String()
}

// immutable is how validation speaks of fields that must not change. The library's own test takes
// every invalid object for one with an immutable field, so this looks at the words.
var immutable = regexp.MustCompile(`(?i)immutable|may not be changed|may not change once set|cannot be changed|` +
	`updates to \w+ spec for fields other than`)

// immutableError returns an [ImmutableError] for an error that says so, else nil.
func immutableError(ref unit.ObjectRef, err error) *ImmutableError {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		return nil
	}
	details := status.Status().Details
	if details == nil {
		return nil
	}
	var fields []string
	for _, cause := range details.Causes {
		// Something else wrong with the object has to be told first: in place it may be right.
		if !immutable.MatchString(cause.Message) {
			return nil
		}
		if cause.Type != metav1.CauseTypeUnexpectedServerResponse && cause.Field != "" {
			fields = append(fields, cause.Field)
		}
	}
	if len(details.Causes) == 0 {
		return nil
	}
	return &ImmutableError{Ref: ref, Fields: fields, err: err}
}
