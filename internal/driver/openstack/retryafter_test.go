package openstack

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, test := range []struct {
		after, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"soon", "", 0},
		{"3", "", 3 * time.Second},
		{"60", "", time.Minute},
		{"99999999999", "", longestAsked},
		{at(24 * time.Hour), "", longestAsked},
		{at(3 * time.Second), "", 3 * time.Second},
		{at(3 * time.Second), at(time.Second), 2 * time.Second},
		{at(-time.Hour), "", -time.Hour},
	} {
		header := http.Header{"Retry-After": {test.after}, "Date": {test.date}}
		if got := retryAfter(header, now); got != test.want {
			t.Errorf("%q at %q: %v, want %v", test.after, test.date, got, test.want)
		}
		wait := pause(1, &http.Response{Header: header})
		if wait < firstPause || wait > longestPause+longestPause/4+1 {
			t.Errorf("%q: waits %v", test.after, wait)
		}
	}
}

// TestLongWaitsAreLeftToOthers: what is to wait longer than a request may is sent once, and the error says for how long.
func TestLongWaitsAreLeftToOthers(t *testing.T) {
	for _, test := range []struct {
		method, after string
		status, times int
		want          time.Duration
	}{
		{http.MethodGet, "2", http.StatusTooManyRequests, attempts, 2 * time.Second},
		{http.MethodPost, "2", http.StatusTooManyRequests, attempts, 2 * time.Second},
		{http.MethodGet, "60", http.StatusTooManyRequests, 1, time.Minute},
		{http.MethodPost, "60", http.StatusTooManyRequests, 1, time.Minute},
		{http.MethodGet, "60", http.StatusServiceUnavailable, 1, time.Minute},
		{http.MethodPost, "60", http.StatusServiceUnavailable, 1, time.Minute},
		{http.MethodGet, "", http.StatusServiceUnavailable, attempts, 0},
		{http.MethodGet, "60", http.StatusNotFound, 1, 0},
	} {
		sent := 0
		base := roundTripper(func(r *http.Request) (*http.Response, error) {
			sent++
			return &http.Response{StatusCode: test.status, Header: http.Header{"Retry-After": {test.after}}, Body: http.NoBody, Request: r}, nil
		})
		synctest.Test(t, func(t *testing.T) { // as there are pauses between the attempts
			s := &session{masker: redact.NewMasker(), provider: &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: &transport{base: base}}, IdentityEndpoint: "http://keystone.example/"}}
			_, err := s.do(t.Context(), call{service: serviceIdentity, method: test.method, path: "projects", subject: "token"})
			var said *apiError
			if !errors.As(err, &said) || said.status != test.status || sent != test.times || unit.RetryAfter(err) != test.want {
				t.Errorf("%s answered %d, after %q: sent %d times, want %d; %v after %v, want %v", test.method, test.status, test.after, sent, test.times, err, unit.RetryAfter(err), test.want)
			}
		})
	}
}
