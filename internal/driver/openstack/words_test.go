package openstack_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWordsThatLookLikeAddresses: a text in a map, or a description, is what somebody wrote and no network: another
// address in it is a change.
func TestWordsThatLookLikeAddresses(t *testing.T) {
	for written, want := range map[string]unit.Action{"10.0.0.5/24": unit.ActionNone, "10.0.0.6/24": unit.ActionUpdate, "10.0.0.5/16": unit.ActionUpdate} {
		server := target(t, "instance", "a", values{
			"image": text("i1"), "flavor": text("f1"), "metadata": cty.MapVal(map[string]cty.Value{"address": text(written)}),
		})
		network := target(t, "network", "a", values{"description": text(written)})
		server.ID, network.ID = "s1", "n1"
		d := answering(t, map[string]func(*http.Request) any{
			"/v2.1/servers/detail": listed("servers", map[string]any{
				"id": "s1", "name": "a", "tenant_id": "p1", "status": "ACTIVE", "image": map[string]any{"id": "i1"}, "flavor": map[string]any{"id": "f1"},
				"metadata": map[string]any{"address": "10.0.0.5/24", "kupenstack_mark": server.Mark},
			}),
			"/v2.0/ports":    listed("ports"),
			"/v2.0/networks": listed("networks", map[string]any{"id": "n1", "name": "a", "project_id": "p1", "description": "10.0.0.5/24 [" + network.Mark + "]"}),
		})
		states, err := d.Observe(t.Context(), []unit.Target{server, network})
		if err != nil {
			t.Fatal(err)
		}
		for _, tg := range []unit.Target{server, network} {
			if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != want {
				t.Errorf("%s of %s: %+v", written, tg.Address, diff)
			}
		}
	}
}

// TestTrunksWithManySubPorts: whose their ports are is asked in addresses that servers take.
func TestTrunksWithManySubPorts(t *testing.T) {
	var subs []map[string]any
	for i := range 1500 {
		subs = append(subs, map[string]any{"port_id": fmt.Sprintf("%08d-0000-0000-0000-000000000000", i), "segmentation_type": "vlan", "segmentation_id": i + 1})
	}
	for _, theirs := range []string{"", "00001400-0000-0000-0000-000000000000"} {
		tg := target(t, "trunk", "a", values{"port": text("pp")})
		tg.ID = "t1"
		raw := map[string]any{"id": "t1", "name": "a", "project_id": "p1", "port_id": "pp", "description": "[" + tg.Mark + "]", "sub_ports": subs, "admin_state_up": true}
		longest, asked, deleted := 0, map[string]bool{}, false
		d := answering(t, map[string]func(*http.Request) any{
			"/v2.0/trunks":           listed("trunks", raw),
			"/v2.0/trunks/t1":        func(*http.Request) any { return map[string]any{"trunk": raw} },
			"DELETE /v2.0/trunks/t1": func(*http.Request) any { deleted = true; return map[string]any{} },
			"/v2.0/ports": func(r *http.Request) any {
				longest = max(longest, len(r.URL.RawQuery))
				var found []any
				query, _ := url.ParseQuery(r.URL.RawQuery)
				for _, id := range query["id"] {
					asked[id] = true
					mark := "[kupenstack:0123456789abcdef]"
					if id == theirs {
						mark = ""
					}
					found = append(found, map[string]any{"id": id, "description": mark})
				}
				return map[string]any{"ports": found}
			},
		})
		seen, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Delete(t.Context(), tg, seen[tg.Address])
		if longest > 6000 || len(asked) != len(subs) {
			t.Errorf("%d ports were asked for, in addresses of %d characters", len(asked), longest)
		}
		if theirs == "" && (err != nil || !deleted) || theirs != "" && (deleted || !unit.IsBlocked(err) || !strings.Contains(err.Error(), theirs)) {
			t.Errorf("with %q of others: deleted %v, %v", theirs, deleted, err)
		}
	}
}
