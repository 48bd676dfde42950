package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatACreationDoesNotTakeFollows: an object that was just made is not ready before what no creating request takes, and no
// list says, is there as well. What is made from it would be refused.
func TestWhatACreationDoesNotTakeFollows(t *testing.T) {
	t.Parallel()
	for name, c := range singles() {
		if c.kind == "image" { // its bytes follow first, and all is asked for once they are there
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, targets := c.cloud(t, "a")
			row := l.rows["a"]
			delete(l.rows, "a")
			l.answers["POST "+strings.TrimSuffix(c.rows, "/detail")] = func(*http.Request) any {
				return map[string]any{strings.TrimSuffix(c.key, "s"): row}
			}
			tg := targets[0]
			tg.ID, tg.Fresh = "", true
			st, err := l.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent})
			if err != nil {
				t.Fatal(err)
			}
			diff := l.Compare(tg, wantedOf(tg), st)
			if diff.Action != unit.ActionUpdate || len(diff.Fields) != 1 || st.Installed || st.Ready() {
				t.Errorf("it was made, and the diff is %+v, the state %+v", diff, st)
			}
		})
	}
}
