package openstack_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestTagsThatNoPathTakes: a tag beyond ASCII, with a slash, or with .json at its end is told in a body, and those of others stay.
func TestTagsThatNoPathTakes(t *testing.T) {
	type object = map[string]any
	id := idOf("3")
	network := func(mark string) object { return object{"project_id": "p1", "description": "[" + mark + "]"} }
	for _, test := range []struct {
		kind, list, path, key string
		written               values
		raw                   func(mark string) object
		odd                   []string
	}{
		{"network", "/v2.0/networks", "/v2.0/networks/" + id, "network", values{}, network, []string{"a/b", "ä"}},
		{"network", "/v2.0/networks", "/v2.0/networks/" + id, "network", values{}, network, []string{"a.json"}},
		{
			"instance", "/v2.1/servers/detail", "/v2.1/servers/" + id, "server",
			values{"flavor": text("1"), "image": text(idOf("5"))},
			func(mark string) object {
				return object{
					"tenant_id": "p1", "status": "ACTIVE", "metadata": object{"kupenstack_mark": mark}, "flavor": object{"id": "1"}, "image": object{"id": idOf("5")},
				}
			},
			[]string{"größe", "ä"},
		},
		{
			"image", "/v2/images", "/v2/images/" + id, "",
			values{"disk_format": text("raw")},
			func(mark string) object {
				return object{"owner": "p1", "status": "active", "kupenstack_mark": mark, "disk_format": "raw", "container_format": "bare", "visibility": "shared"}
			},
			[]string{"a/b", "ä"},
		},
	} {
		t.Run(test.kind+" "+test.odd[0], func(t *testing.T) {
			tg := target(t, test.kind, "web", test.written)
			tags, sent := []string{"theirs"}, []string(nil)
			show := func() object {
				raw := object{"id": id, "name": "web", "tags": tags}
				maps.Copy(raw, test.raw(tg.Mark))
				return raw
			}
			one := func(*http.Request) any {
				if test.key == "" {
					return show()
				}
				return object{test.key: show()}
			}
			whole := func(r *http.Request) any {
				var body struct{ Tags []string }
				var patch []struct{ Value []string }
				into := any(&body)
				if test.key == "" {
					into = &patch
				}
				if err := json.NewDecoder(r.Body).Decode(into); err != nil {
					t.Error(err)
				}
				if tags = body.Tags; test.key == "" {
					tags = patch[0].Value
				}
				sent = append(sent, r.Method+" all")
				return object{}
			}
			single := func(r *http.Request) any {
				sent = append(sent, r.Method+" "+r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
				if tags = append(tags, "plain"); r.Method == http.MethodDelete {
					tags = slices.DeleteFunc(tags, func(tag string) bool { return tag == "plain" })
				}
				return http.StatusNoContent
			}
			key := strings.TrimPrefix(strings.TrimSuffix(test.list, "/detail"), test.list[:strings.Index(test.list[1:], "/")+2])
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/ports": listed("ports"), test.list: func(r *http.Request) any {
					if r.URL.Query().Get("os_hidden") == "true" {
						return object{key: []any{}}
					}
					return object{key: []any{show()}}
				},
				test.path: one, "PATCH " + test.path: whole,
				test.path + "/tags": func(*http.Request) any { return object{"tags": tags} }, "PUT " + test.path + "/tags": whole,
				"PUT " + test.path + "/tags/plain": single, "DELETE " + test.path + "/tags/plain": single,
			})
			step := func(want []string, requests string, ours, before []string) {
				t.Helper()
				tg := recorded(with(t, tg, values{"tags": set(ours...)}), map[string][]string{"tags": before})
				tg.ID, tg.Fresh, sent = id, false, nil
				states, err := d.Observe(t.Context(), []unit.Target{tg})
				if err != nil {
					t.Fatal(err)
				}
				expectDiff(t, requests, d.Compare(tg, wantedOf(tg), states[tg.Address]), unit.ActionUpdate, []string{"tags"})
				if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(sent, ", "); got != requests || !slices.Equal(slices.Sorted(slices.Values(tags)), slices.Sorted(slices.Values(want))) {
					t.Errorf("sent %s, want %s; the tags are %q, want %q", got, requests, tags, want)
				}
			}
			whole1 := map[bool]string{true: "PATCH all", false: "PUT all"}[test.key == ""]
			step([]string{"theirs", "plain"}, "PUT plain", []string{"plain"}, nil)
			step(append([]string{"theirs", "plain"}, test.odd...), whole1, append([]string{"plain"}, test.odd...), []string{"plain"})
			step([]string{"theirs", "plain"}, whole1, []string{"plain"}, append([]string{"plain"}, test.odd...))
			step([]string{"theirs"}, "DELETE plain", []string{"theirs"}, []string{"plain"})
		})
	}
}
