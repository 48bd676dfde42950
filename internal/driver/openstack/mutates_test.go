package openstack

import (
	"net/http"
	"testing"
)

// TestMutates wants all requests that change something guarded by the lease, and repeated by nobody: by their method,
// but for those of Cinder that change something by a GET.
func TestMutates(t *testing.T) {
	for _, c := range []struct {
		method, url string
		want        bool
	}{
		{http.MethodGet, "/v3/p/qos-specs/q?vol_type_id=t", false},
		{http.MethodHead, "/v3/p/qos-specs/q", false},
		{http.MethodGet, "/v3/p/qos-specs/q/associations", false},
		{http.MethodGet, "/v3/p/qos-specs/q/associate?vol_type_id=t", true},
		{http.MethodGet, "/v3/p/qos-specs/q/disassociate?vol_type_id=t", true},
		{http.MethodPut, "/v3/p/qos-specs/q", true},
		{http.MethodPost, "/v3/auth/tokens", false},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, "http://127.0.0.1"+c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if mutates(request) != c.want {
			t.Errorf("%s %s changes something: %v", c.method, c.url, !c.want)
		}
	}
}
