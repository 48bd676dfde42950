package openstack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What nobody wants any more, and may still be created, counts as gone only when that can be no more.
func TestWhatMayComeLateIsNotGone(t *testing.T) {
	const mark = "kupenstack:ours.0123"
	late := map[string]any{"id": "n1", "name": "web", "project_id": "p1", "description": "[" + mark + "]"}
	for _, test := range []struct {
		name      string
		kind      string
		there     []map[string]any
		attempted bool
		waits     bool
		came      string
	}{
		{name: "nothing has come", kind: "network", attempted: true, waits: true},
		{name: "nothing was asked for", kind: "network"},
		{name: "it has come", kind: "network", there: []map[string]any{late}, attempted: true, came: "n1"},
		{name: "one without a mark", kind: "server_group", attempted: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := answering(t, map[string]func(*http.Request) any{"/v2.0/networks": listed("networks", test.there...)})
			tg := target(t, test.kind, "web", values{})
			tg.Locator, tg.Spec, tg.Mark, tg.UID = tg.Spec.Locator(), nil, mark, "u1"
			tg.Locator.Project, tg.Fresh, tg.Attempted = "p1", false, test.attempted
			st, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Absent})
			after := unit.RetryAfter(err)
			if (err != nil) != test.waits || test.waits && (after <= 20*time.Second || after > 30*time.Second || !strings.Contains(err.Error(), "before it is forgotten")) {
				t.Errorf("it fails with %v, after %v", err, after)
			}
			if st.ID != test.came || st.Gone() == (test.came != "") {
				t.Errorf("the state is %+v", st)
			}
		})
	}
}
