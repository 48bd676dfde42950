package kube

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
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
	lasts    time.Duration // what it wrote into the lease
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
		spec = `{"holderIdentity":"` + h.name + `","leaseDurationSeconds":` + strconv.Itoa(int(h.lasts/time.Second)) + `,"renewTime":"` + last.Truncate(leaseTimes(h.lasts).retryPeriod()).Add(h.ahead).UTC().Format("2006-01-02T15:04:05.000000Z07:00") + `"}`
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Date": {now.UTC().Format(http.TimeFormat)}, "Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"kupenstack"},"spec":` + spec + `}`)),
	}, nil
}

// TestHeld: whose lease moves is in charge, whatever the clocks of the machines say, and however long it is for: who looks on
// goes by what the holder wrote, and not by what it would write itself.
func TestHeld(t *testing.T) {
	for _, lasts := range []time.Duration{minLeaseDuration, DefaultLeaseDuration, maxLeaseDuration} {
		for _, ours := range []time.Duration{0, minLeaseDuration, maxLeaseDuration} {
			testHeld(t, lasts, ours)
		}
	}
}

func testHeld(t *testing.T, lasts, ours time.Duration) {
	t.Helper()
	patience := leaseTimes(lasts).heldPatience()
	for _, ahead := range []time.Duration{0, time.Minute, -time.Minute, 10 * time.Minute, -3 * time.Hour} {
		for _, test := range []struct {
			name, want string
			h          holder
		}{
			{"alive", "somebody", holder{name: "somebody", lasts: lasts, ahead: ahead}},
			{"dead for a moment", "", holder{name: "somebody", lasts: lasts, ahead: ahead, died: time.Unix(946684790, 0)}}, // a bubble begins ten seconds later
			{"dead for long", "", holder{name: "somebody", lasts: lasts, ahead: ahead, died: time.Unix(946684800-3600, 0)}},
			{"given back", "", holder{lasts: lasts, ahead: ahead}},
		} {
			t.Run(fmt.Sprint(test.name, " ", ahead, ", for ", lasts, " beside ", ours), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					lease := NewLease("system", "us", zerolog.Nop())
					lease.Duration = ours
					lease.Access = NewAccess(&rest.Config{Host: "http://cluster.example.org", Transport: &test.h})
					begun := time.Now()
					got, err := lease.Held(t.Context())
					if want := lasts + lookPeriod; test.want == "" && test.h.name != "" && lease.Patience() != want {
						t.Errorf("its lease is to be had in %v, want %v", lease.Patience(), want)
					}
					if took := time.Since(begun); err != nil || got != test.want || took > patience+time.Second {
						t.Errorf("it is held by %q after %v and %d looks, %v", got, took, test.h.answered, err)
					}
				})
			})
		}
	}
}
