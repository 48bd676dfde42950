package openstack_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedKeysInPaths: keys and tags that look like something else in the path of a request come and go, and what others
// have beside them under what is left of such a key stays.
func TestBedKeysInPaths(t *testing.T) {
	b := newBench(t)
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	keys := func(names ...string) cty.Value {
		all := map[string]cty.Value{}
		for _, name := range names {
			all[name] = text("v")
		}
		return cty.MapVal(all)
	}
	of := func(kind string, written values) unit.Target {
		tg := target(t, kind, unique("keys"), written)
		b.converge(t, &tg)
		return tg
	}
	image := b.plainImage(t, unique("image"), values{})
	b.converge(t, &image)
	server := of("instance", values{"flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String), "image": text(image.ID)})
	for _, test := range []struct {
		name, attribute string
		target          unit.Target
		odd             []string
		add             func(id string)
	}{
		{"flavor", "extra_specs", flavor, []string{"a.json", "b c", "d.xml", "x:y.z", "..."}, func(id string) {
			request(t, "compute", http.MethodPost, "flavors/"+id+"/os-extra_specs", map[string]any{"extra_specs": map[string]any{"a": "theirs", "d": "theirs"}})
		}},
		{"type", "extra_specs", of("volume_type", values{}), []string{"a.json", "b.json.json", "d.xml", "x:y.z", "e.JSON", "..."}, func(id string) {
			request(t, "volumev3", http.MethodPost, "types/"+id+"/extra_specs", map[string]any{"extra_specs": map[string]any{"a": "theirs", "d": "theirs"}})
		}},
		{"instance", "metadata", server, []string{"a.json", "b c", "d.xml", "x:y.z", "..."}, func(id string) {
			request(t, "compute", http.MethodPost, "servers/"+id+"/metadata", map[string]any{"metadata": map[string]any{"a": "theirs", "d": "theirs"}})
		}},
		{"project", "tags", of("project", values{}), []string{"a.json", "b c", "%41", "größe", "x:y.z", "..."}, func(id string) {
			request(t, "identity", http.MethodPut, "projects/"+id+"/tags/a", nil)
			request(t, "identity", http.MethodPut, "projects/"+id+"/tags/d", nil)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			had := keys(test.odd...)
			none := cty.MapValEmpty(cty.String)
			if test.attribute == "tags" {
				had, none = set(test.odd...), cty.SetValEmpty(cty.String)
			}
			tg := with(t, test.target, values{test.attribute: had})
			st := b.converge(t, &tg)
			if got := namesOf(st, test.attribute); !slices.Equal(got, slices.Sorted(slices.Values(test.odd))) {
				t.Errorf("has %q, want %q", got, test.odd)
			}
			test.add(tg.ID)
			tg = recorded(with(t, tg, values{test.attribute: none}), map[string][]string{test.attribute: test.odd})
			st, _ = b.compare(t, tg)
			if _, err := b.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
				t.Error(err)
			}
			st, _ = b.compare(t, tg)
			if got := namesOf(st, test.attribute); !slices.Equal(got, []string{"a", "d"}) {
				t.Errorf("has %q, want those of others", got)
			}
		})
	}
}

// TestBedRegionsInPaths: so do regions, whose ids are their names.
func TestBedRegionsInPaths(t *testing.T) {
	b := newBench(t)
	for _, odd := range []string{".json", " ü", "%2Fb", "?b=#"} {
		t.Run(odd, func(t *testing.T) {
			tg := target(t, "region", unique("names"), values{"name": text(unique("a") + odd)})
			b.converge(t, &tg)
			if err := b.destroy(t.Context(), t, tg); err != nil {
				t.Error(err)
			}
			if st := b.see(t, tg); st.Existence != unit.Absent {
				t.Errorf("is %s", st.Existence)
			}
		})
	}
}
