package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestTrunksWithSubPortsOfOthers: a trunk with a sub-port that we have not added stays, unless its port is ours; also where our user is
// not shown the port. One that we have added goes along, whosever the port is.
func TestTrunksWithSubPortsOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		set   []string          // that are on record
		ports map[string]string // the marks of those that are shown
		stays bool
	}{
		"a port of ours":                   {ports: map[string]string{"a": "[kupenstack:0123456789abcdef]"}},
		"a port of others":                 {ports: map[string]string{"a": "theirs"}, stays: true},
		"a port that is not shown":         {stays: true},
		"a port of others, that we added":  {set: []string{"a"}, ports: map[string]string{"a": "theirs"}},
		"one that is not shown, and added": {set: []string{"a"}},
		"another one was added":            {set: []string{"b"}, stays: true},
	} {
		deleted := false
		trunk := map[string]any{
			"id": "t1", "name": "t1", "project_id": "p1", "port_id": "pp", "description": "[kupenstack:t1]", "admin_state_up": true,
			"sub_ports": []any{map[string]any{"port_id": "a", "segmentation_type": "vlan", "segmentation_id": 101}},
		}
		d := answering(t, map[string]func(*http.Request) any{
			"/v2.0/trunks/t1":        func(*http.Request) any { return map[string]any{"trunk": trunk} },
			"DELETE /v2.0/trunks/t1": func(*http.Request) any { deleted = true; return http.StatusNoContent },
			"/v2.0/ports": func(r *http.Request) any {
				found := []any{}
				for id, mark := range test.ports {
					if slices.Contains(r.URL.Query()["id"], id) {
						found = append(found, map[string]any{"id": id, "description": mark})
					}
				}
				return map[string]any{"ports": found}
			},
		})
		tg := known(t, "trunk", "t1", values{"port": text("pp")})
		tg.Set = map[string][]string{"sub_port": test.set}
		_, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present})
		if deleted == test.stays || test.stays != unit.IsBlocked(err) || test.stays && !strings.Contains(err.Error(), "by the ports a: remove them first") {
			t.Errorf("with %s: deleted is %t, and it says %v", name, deleted, err)
		}
	}
}
