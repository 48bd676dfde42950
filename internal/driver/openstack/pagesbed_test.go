//go:build beds

package openstack_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
)

// nothing is a page behind an object that is not there.
const nothing = "&marker=6c1b0b9e-5d0c-4c1f-9d0c-3f1f0a7f2b11"

// TestBedDeletedMarkers asks the services for pages behind an object that is not there: by these answers a list knows
// to go back.
func TestBedDeletedMarkers(t *testing.T) {
	for path, test := range map[string]struct {
		service string
		status  int
	}{
		"v2.0/networks":    {"network", http.StatusNotFound},
		"v2.0/ports":       {"network", http.StatusNotFound},
		"volumes/detail":   {"volumev3", http.StatusNotFound},
		"snapshots/detail": {"volumev3", http.StatusNotFound},
		"v2/images":        {"image", http.StatusBadRequest},
		"servers/detail":   {"compute", http.StatusBadRequest},
		"flavors/detail":   {"compute", http.StatusBadRequest},
	} {
		t.Run(path, func(t *testing.T) {
			if _, err := ask(t.Context(), t, test.service, http.MethodGet, path+"?limit=2"+nothing, nil); !gophercloud.ResponseCodeIs(err, test.status) {
				t.Errorf("got %v, want %d", err, test.status)
			}
		})
	}
	for path, key := range map[string]string{
		"v2.0/subnets": "subnets", "v2.0/security-groups": "security_groups", "v2.0/security-group-rules": "security_group_rules",
	} {
		t.Run(path, func(t *testing.T) {
			page := func(more string) any { return request(t, "network", http.MethodGet, path+"?limit=2"+more, nil)[key] }
			before := page("")
			for range 50 { // others make and delete some meanwhile
				behind, after := page(nothing), page("")
				if reflect.DeepEqual(behind, before) {
					return
				}
				before = after
			}
			t.Errorf("behind nothing there is never the first page, as %v", before)
		})
	}
}
