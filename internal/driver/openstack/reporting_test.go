package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhoMaySeeNoPrograms: a service is asked what everybody may see where our user may not see its programs.
func TestWhoMaySeeNoPrograms(t *testing.T) {
	for status, want := range map[int]unit.Reach{http.StatusOK: unit.ReachAnswers, http.StatusServiceUnavailable: unit.ReachRefuses} {
		cloud := &asked{answer: func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/services") {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			says(status, `{"stacks": []}`)(w, r)
		}}
		got := cloud.driver(t).Ask(t.Context(), unit.API{Service: "orchestration", Parts: []string{"heat-engine"}})
		if got.Reach != want || !slices.Contains(cloud.seen, "/v1/p1/stacks?limit=1") {
			t.Errorf("with %d: %+v, asked %q", status, got, cloud.seen)
		}
	}
}
