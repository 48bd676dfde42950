package openstack

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
)

// What a service fails at is asked for again where that changes nothing, and what it refuses is not.
func TestReadAgain(t *testing.T) {
	for _, test := range []struct {
		name, method, path string
		fails              int32 // how often
		status             int   // then
		want               int32 // requests
		ok                 bool
	}{
		{"a list", http.MethodGet, "/v2.0/networks", 2, http.StatusServiceUnavailable, 3, true},
		{"a token", http.MethodPost, "/v3/auth/tokens", 1, http.StatusInternalServerError, 2, true},
		{"a list that is refused", http.MethodGet, "/v2.0/networks", 9, http.StatusForbidden, 1, false},
		{"a change", http.MethodPost, "/v2.0/networks", 9, http.StatusServiceUnavailable, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var seen atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if seen.Add(1) <= test.fails {
					w.WriteHeader(test.status)
				}
			}))
			defer server.Close()
			provider := &gophercloud.ProviderClient{RetryFunc: readAgain}
			_, err := provider.Request(t.Context(), test.method, server.URL+test.path, &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}})
			if n := seen.Load(); n != test.want || (err == nil) != test.ok {
				t.Errorf("%d requests, want %d; error %v", n, test.want, err)
			}
		})
	}
}
