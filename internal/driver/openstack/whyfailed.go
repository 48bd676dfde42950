package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// failureAnswer is what the reasons of failures are remembered as. No attribute has that name.
	failureAnswer = "(failure)"
	// keyFault is where Nova says why an instance has failed.
	keyFault = "fault"
	// messagesVersion is from when on Cinder tells the messages of one resource, the newest first.
	messagesVersion = "3.5"
	// messagesApart is how far apart Cinder writes that something has failed and the message that says why, whichever comes first.
	messagesApart = time.Minute
)

// errNoMessage says that Cinder may be about to write one.
var errNoMessage = errors.New("there is no message yet")

// tellWhy finds out why objects have failed, where the list that they come from does not say. It is asked once for each that
// has failed since. Where nobody answers they have failed all the same, so that this is no error.
func tellWhy(s *session, objects []found, keeper string, ask func(*object) (string, error)) {
	var failed []found
	for _, f := range objects {
		if f.object.health == unit.HealthFailed && f.looked == nil {
			failed = append(failed, f)
		}
	}
	answers := remembered(s, failed, failureAnswer, keeper, func(open []found) []answer[string] {
		return abreast(len(open), func(i int) (string, error) { return ask(open[i].object) })
	})
	for i, got := range answers {
		if got.err == nil && got.value != "" {
			failed[i].object.message = got.value
		}
	}
}

// faults asks why instances have failed: the list has not the faults of those that no cell has taken, as where no host would do.
func (k instanceKind) faults(ctx context.Context, s *session, objects []found) {
	tellWhy(s, objects, serviceCompute, func(o *object) (string, error) {
		if o.raw[keyFault] != nil || textAt(o.raw, "status") != statusError {
			return "", nil
		}
		raw, err := k.getRaw(ctx, s, o.id)
		if err != nil {
			return "", err
		}
		return faultIn(raw), nil
	})
}

// faultIn is why Nova says that an instance has failed, "" where it does not.
func faultIn(raw map[string]any) string {
	fault, _ := raw[keyFault].(map[string]any)
	return shorten(textAt(fault, "message"))
}

// completes tells of what has failed whether to ask why.
func (c cinder) completes(_ cty.Value, o *object) bool { return o.health == unit.HealthFailed }

// complete asks why something has failed, which only a message of its own tells. Nothing of it is unseen without.
func (c cinder) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	tellWhy(s, objects, "cinder", func(o *object) (string, error) {
		newest := call{
			service: s.volumes(), method: http.MethodGet, path: "messages", query: url.Values{"resource_uuid": {o.id}, "limit": {"1"}}, microversion: messagesVersion,
		}
		got, err := s.send(ctx, newest)
		for _, never := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusNotAcceptable} {
			if statusIs(err, never) {
				return "", nil // not for us, not asked for so, or not yet in that version: to ask again would not help
			}
		}
		if err != nil {
			return "", err
		}
		messages, err := listIn(newest, got, "messages")
		changed := reportedAt(o.raw, "updated_at")
		switch {
		case err != nil:
			return "", err
		case len(messages) == 0 && answeredAt(got).Sub(changed) < messagesApart: // or it would be taken for none as long as the object does not change
			return "", errNoMessage
		case len(messages) == 0:
			return "", nil
		}
		why := shorten(textAt(messages[0], "user_message"))
		if request := textAt(messages[0], "request_id"); request != "" {
			why += fmt.Sprintf(" (request %s)", request)
		}
		of := ""
		if said := reportedAt(messages[0], "created_at"); !said.IsZero() && changed.Sub(said) > messagesApart {
			of = fmt.Sprintf(", of %s and so perhaps of an earlier failure,", said.Format(time.RFC3339))
		}
		return fmt.Sprintf("Cinder says that the %s is in the state %s, and its newest message%s is: %s", c.one, textAt(o.raw, "status"), of, why), nil
	})
	return map[addr.Object]error{}
}

// answeredAt is when a service answered, by its own clock, which is about that of what it tells; ours where it does not say.
func answeredAt(got reply) time.Time {
	if at, err := http.ParseTime(got.header.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}
