package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestTagsOfAnotherCase: a tag that somebody has added in another case counts, as a database that takes both for one never has
// the wanted one beside it. One of ours that is to be written otherwise goes.
func TestTagsOfAnotherCase(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		has, ours []string
		action    unit.Action
	}{
		{"as it is written", []string{"Web"}, nil, unit.ActionNone},
		{"somebody else's", []string{"web"}, nil, unit.ActionNone},
		{"ours, from before", []string{"web"}, []string{"web"}, unit.ActionUpdate},
		{"another word", []string{"webs"}, nil, unit.ActionUpdate},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tg := target(t, "network", "web", values{"tags": set("Web")})
			tg.ID, tg.Set = "n1", map[string][]string{"tags": test.ours}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/networks": listed("networks", map[string]any{"id": "n1", "name": "web", "project_id": "p1", "tags": test.has, "description": "[" + tg.Mark + "]"}),
			})
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != test.action {
				t.Errorf("%+v", diff)
			}
		})
	}
}
