package openstack

import (
	"net/http"
	"testing"
	"time"
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
		{"99999999999", "", longestPause},
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
