package openstack_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// An instance that Nova keeps after it was deleted goes at once where it bears our mark and is to go, and where it is not,
// the plan says what is waited for.
func TestInstanceThatNovaKeeps(t *testing.T) {
	const force = `{"forceDelete":null}`
	for _, test := range []struct {
		name, role string
		marked     bool
		asked      []string
	}{
		{"ours", "admin", true, []string{force}},
		{"ours, by who is no administrator", "member", true, nil},
		{"nobody's", "admin", false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "instance", "vm", values{"image": text("i1"), "flavor": text("f1")})
			tg.ID, tg.Fresh, tg.Complete = "s1", false, true
			metadata := map[string]any{}
			if test.marked {
				metadata["kupenstack_mark"] = tg.Mark
			}
			server := map[string]any{
				"id": "s1", "name": "vm", "tenant_id": "p1", "status": "SOFT_DELETED", "metadata": metadata,
				"image": map[string]any{"id": "i1"}, "flavor": map[string]any{"id": "f1"},
			}
			var asked []string
			b := &bench{Driver: answering(t, map[string]func(*http.Request) any{
				"/v2.1/servers/detail": listed("servers"),
				"/v2.1/servers/s1":     func(*http.Request) any { return map[string]any{"server": server} },
				"/v2.0/ports":          listed("ports"),
				"POST /v2.1/servers/s1/action": func(r *http.Request) any {
					body, _ := io.ReadAll(r.Body)
					asked = append(asked, string(body))
					return http.StatusAccepted
				},
			}, test.role)}
			st, diff := b.compare(t, tg)
			if diff.Action != unit.ActionNone || !strings.Contains(diff.Reason, "reclaim_instance_interval") {
				t.Errorf("the plan shows %+v", diff)
			}
			st, err := b.Delete(t.Context(), tg, st)
			if err != nil || st.Gone() || !slices.Equal(asked, test.asked) {
				t.Errorf("asked %q, %v, %+v", asked, err, st)
			}
		})
	}
}
