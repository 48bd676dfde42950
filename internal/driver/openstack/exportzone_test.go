package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
)

// TestExportOfZones has the availability zone of an instance only where it was asked for: any other changes with the
// aggregates of its host, and would replace the instance.
func TestExportOfZones(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	for _, test := range []struct {
		name   string
		pinned any // http.StatusNotAcceptable for a Nova that is too old
		want   bool
	}{
		{"asked for", "rack-1", true},
		{"chosen by the scheduler", nil, false},
		{"its host is in another one by now", "rack-2", false},
		{"a Nova that does not tell", http.StatusNotAcceptable, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers := whole()
			answers["/v2.1/servers/detail"] = func(r *http.Request) any {
				server := object{"id": idOf("5"), "name": "web", "tenant_id": idOf("a1"), "status": "ACTIVE", "flavor": object{"id": "f"}, "image": object{"id": idOf("10")}, "key_name": nil, "metadata": object{}, "config_drive": "", "tags": []any{}, "OS-EXT-AZ:availability_zone": "rack-1"}
				if r.Header.Get("OpenStack-API-Version") == "compute 2.96" {
					if test.pinned == http.StatusNotAcceptable {
						return http.StatusNotAcceptable
					}
					server["pinned_availability_zone"], server["flavor"] = test.pinned, object{"original_name": "small"}
				}
				return object{"servers": []any{server}}
			}
			d := answering(t, answers)
			live, _, err := d.Live(t.Context(), export.Kinds(language()))
			if err != nil {
				t.Fatal(err)
			}
			if _, hcl := adoptsAll(t, d, live, export.Selection{Kinds: []string{"instance"}}); strings.Contains(hcl, `availability_zone = "rack-1"`) != test.want {
				t.Errorf("the zone is exported: %t\n%s", !test.want, hcl)
			}
		})
	}
}
