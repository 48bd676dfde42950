package kube

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"
)

// holder answers as an API server does with a lease that somebody renews, until it dies.
type holder struct {
	name     string
	ahead    time.Duration // its clock, before that of the server
	died     time.Time     // zero: it lives
	answered int
}

func (h *holder) RoundTrip(*http.Request) (*http.Response, error) {
	h.answered++
	now := time.Now()
	last := now
	if !h.died.IsZero() {
		last = h.died
	}
	spec := `{}`
	if h.name != "" {
		spec = `{"holderIdentity":"` + h.name + `","renewTime":"` + last.Truncate(retryPeriod).Add(h.ahead).UTC().Format("2006-01-02T15:04:05.000000Z07:00") + `"}`
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Date": {now.UTC().Format(http.TimeFormat)}, "Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"kupenstack"},"spec":` + spec + `}`)),
	}, nil
}

// TestHeld: whose lease moves is in charge, whatever the clocks of the machines say.
func TestHeld(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Minute, -time.Minute, 10 * time.Minute, -3 * time.Hour} {
		for _, test := range []struct {
			name, want string
			h          holder
		}{
			{"alive", "somebody", holder{name: "somebody", ahead: ahead}},
			{"dead for a moment", "", holder{name: "somebody", ahead: ahead, died: time.Unix(946684790, 0)}}, // a bubble begins ten seconds later
			{"dead for long", "", holder{name: "somebody", ahead: ahead, died: time.Unix(946684800-3600, 0)}},
			{"given back", "", holder{ahead: ahead}},
		} {
			t.Run(test.name+" "+ahead.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					lease := NewLease("system", "us", zerolog.Nop())
					lease.Access = NewAccess(&rest.Config{Host: "http://cluster.example.org", Transport: &test.h})
					begun := time.Now()
					got, err := lease.Held(t.Context())
					if took := time.Since(begun); err != nil || got != test.want || took > HeldPatience+time.Second {
						t.Errorf("it is held by %q after %v and %d looks, %v", got, took, test.h.answered, err)
					}
				})
			})
		}
	}
}
