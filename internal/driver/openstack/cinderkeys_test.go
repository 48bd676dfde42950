package openstack_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestKeysThatNoPathTakes: a key of the metadata of a volume or snapshot that no path can tell is taken away with all
// others that we have set, and what others have added stays.
func TestKeysThatNoPathTakes(t *testing.T) {
	type object = map[string]any
	id := idOf("3")
	for _, test := range []struct {
		kind, many string
		drop       string
		want       string
	}{
		{"volume", "volumes", "plain", "DELETE plain"},
		{"volume", "volumes", "example.org/cluster", "PUT"},
		{"volume", "volumes", "plain.json", "PUT"},
		{"snapshot", "snapshots", "example.org/cluster", "PUT"},
	} {
		t.Run(test.kind+" "+test.drop, func(t *testing.T) {
			written := values{"metadata": texted("tier", "b")}
			if written["size"] = number(1); test.kind == "snapshot" {
				delete(written, "size")
				written["volume"] = text(idOf("4"))
			}
			tg := recorded(target(t, test.kind, "data", written), map[string][]string{"metadata": {test.drop, "tier"}})
			tg.ID, tg.Fresh = id, false
			metadata := object{"kupenstack_mark": tg.Mark, test.drop: "a", "tier": "b", "theirs/x": "c"}
			show := func() object {
				return object{
					"id": id, "name": "data", "size": 1, "status": "available", "os-vol-tenant-attr:tenant_id": "p1", "volume_id": idOf("4"),
					"os-extended-snapshot-attributes:project_id": "p1", "metadata": metadata, "bootable": "false",
				}
			}
			path, sent := "/v3/p1/"+test.many, []string(nil)
			d := answering(t, map[string]func(*http.Request) any{
				"/v3/p1": listed("nothing"), path + "/detail": func(*http.Request) any { return object{test.many: []any{show()}} },
				path + "/" + id:                         func(*http.Request) any { return object{test.kind: show()} },
				path + "/" + id + "/metadata":           func(*http.Request) any { return object{"metadata": metadata} },
				"POST " + path + "/" + id + "/metadata": func(*http.Request) any { return object{} },
				"PUT " + path + "/" + id + "/metadata": func(r *http.Request) any {
					var body struct{ Metadata object }
					if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
						t.Error(err)
					}
					metadata, sent = body.Metadata, append(sent, "PUT")
					return object{}
				},
				"DELETE " + path + "/" + id + "/metadata/plain": func(*http.Request) any {
					delete(metadata, "plain")
					sent = append(sent, "DELETE plain")
					return http.StatusNoContent
				},
			})
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			expectDiff(t, test.drop, d.Compare(tg, wantedOf(tg), states[tg.Address]), unit.ActionUpdate, []string{"metadata"})
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil {
				t.Fatal(err)
			}
			if got := slices.Sorted(maps.Keys(metadata)); strings.Join(sent, ", ") != test.want || !slices.Equal(got, []string{"kupenstack_mark", "theirs/x", "tier"}) {
				t.Errorf("sent %q, want %q; the keys are %q", sent, test.want, got)
			}
		})
	}
}

// TestBedKeysThatNoPathTakes: they come and go, and what others have added stays.
func TestBedKeysThatNoPathTakes(t *testing.T) {
	b := newBench(t)
	volume := target(t, "volume", unique("keys"), values{"size": number(1), "metadata": texted("example.org/cluster", "a", "plain", "b")})
	b.converge(t, &volume)
	request(t, "volumev3", http.MethodPost, "volumes/"+volume.ID+"/metadata", map[string]any{"metadata": map[string]any{"theirs/x": "c"}})
	volume = recorded(with(t, volume, values{"metadata": cty.MapValEmpty(cty.String)}), map[string][]string{"metadata": {"example.org/cluster", "plain"}})
	if got := namesOf(b.converge(t, &volume), "metadata"); !slices.Equal(got, []string{"theirs/x"}) {
		t.Errorf("the keys are %q", got)
	}
}

// TestSpecsThatPathsCut: of a key at the end of a path Cinder takes one .json away, as the format of the answer.
func TestSpecsThatPathsCut(t *testing.T) {
	id := idOf("3")
	keys := []string{"a.json", "b.json.json", "c.xml", "d"}
	tg := recorded(target(t, "volume_type", "fast", values{}), map[string][]string{"extra_specs": keys})
	tg.ID, tg.Fresh = id, false
	specs := map[string]any{"a": "theirs"}
	for _, key := range keys {
		specs[key] = "ours"
	}
	show := map[string]any{"id": id, "name": "fast", "is_public": true, "description": "[" + tg.Mark + "]", "extra_specs": specs}
	answers := map[string]func(*http.Request) any{
		"/v3/p1": listed("nothing"), "/v3/p1/types": listed("volume_types", show), "/v3/p1/types/" + id: func(*http.Request) any { return map[string]any{"volume_type": show} },
	}
	for key := range specs {
		answers["DELETE /v3/p1/types/"+id+"/extra_specs/"+key+".json"] = func(*http.Request) any { delete(specs, key); return http.StatusAccepted }
		if !strings.HasSuffix(key, ".json") {
			answers["DELETE /v3/p1/types/"+id+"/extra_specs/"+key] = answers["DELETE /v3/p1/types/"+id+"/extra_specs/"+key+".json"]
		}
	}
	b := &bench{Driver: answering(t, answers)}
	st, diff := b.compare(t, tg)
	expectDiff(t, "specs", diff, unit.ActionUpdate, []string{"extra_specs"})
	if _, err := b.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(specs)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("left are %q", got)
	}
}
