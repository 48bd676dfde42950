package helm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNeededKeyBlocks wants those keys told that are null and that the chart cannot be rendered without, and no other that is.
func TestNeededKeyBlocks(t *testing.T) {
	text := planned(t, `
    conf   = { probe = null, keystone = null }
    values = {
      pod       = { replicas = null }
      manifests = { deployment_api = null }
      secrets   = null
    }
  `)
	const hint = ", take it out, and write null for those keys inside of it that are to go"
	want := "reason: chart keystone cannot be rendered without what is null: conf.probe (main.hcl:8:16), take it out, or write a value; " +
		"values.pod.replicas (main.hcl:10:21)" + hint + "\n"
	if !strings.Contains(text, "service.keystone is blocked") || !strings.Contains(text, want) {
		t.Errorf("the plan is\n%s\nwant %s", text, want)
	}
}

// TestNeededKeys: of two that are enough for each other the chart cannot do without the later one, and what cannot be rendered
// anyhow is not told here.
func TestNeededKeys(t *testing.T) {
	tree := keystoneChart()
	tree["charts/keystone/values.yaml"].Data = []byte("a: {x: 1}\nb: {x: 1}\nc: {x: {y: 1}}\nd: 1\n")
	const either = "{{ if not (or .Values.a .Values.b) }}{{ fail \"neither\" }}{{ end }}{{ .Values.c.x.y }}{{ required \"d\" .Values.d }}"
	tree["charts/keystone/templates/api.yaml"].Data = []byte(either)
	tree["charts/keystone/charts/cache/templates/a.yaml"] = &fstest.MapFile{Data: []byte("{{ required \"e\" .Values.e }}")}
	wanted := unit.Chart{Name: "keystone", Repository: "charts", Tree: tree}
	for _, test := range []struct {
		null, want string
		broken     bool // it cannot be rendered, whatever is written for what is null
	}{
		{null: "a"},
		{null: "a b", want: "b"},
		{null: "a b c.x d", want: "b c.x d"},
		{null: "c", want: "c"},
		{null: "c.x", want: "c.x"},
		{null: "c.x.y"},
		{null: "d new", want: "d"}, // the chart has nothing to take away of the other
		{null: "c", broken: true},
	} {
		spec := &unit.Release{Name: "k", Chart: wanted, Values: map[string]any{"d": int64(2)}, NullLeavesAway: true}
		if !test.broken {
			spec.Values["cache"] = map[string]any{"e": "e"}
		}
		for _, key := range strings.Fields(test.null) {
			path := strings.Split(key, ".")
			if err := set(spec.Values, path, nil); err != nil {
				t.Fatal(err)
			}
			spec.Written = append(spec.Written, unit.WrittenKey{Path: path, Text: key, Range: diag.Range{File: "main.hcl"}})
		}
		units := []unit.Unit{{Address: addr.MustParseObject("service.keystone"), Spec: spec}}
		found, _, err := Check(t.Context(), Options{CacheDir: t.TempDir()}, units)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, d := range found {
			key, _, _ := strings.Cut(d.Summary, " ")
			if d.Code == codeNeededKey && d.Severity == diag.Error && d.Subject.File == "main.hcl" && d.Hint != "" {
				told = append(told, key)
			} else if d.Code != codeUnknownKey {
				t.Errorf("null %s: told is %+v", test.null, d)
			}
		}
		if !slices.Equal(told, strings.Fields(test.want)) {
			t.Errorf("null %s: told is %q, want %q", test.null, told, test.want)
		}
	}
}

// TestNeededKeysInterrupted: nothing is kept of what was interrupted.
func TestNeededKeysInterrupted(t *testing.T) {
	is, err := newCharts(Options{CacheDir: t.TempDir()}).find(t.Context(), unit.Chart{Name: "keystone", Repository: "charts", Tree: keystoneChart()})
	if err != nil {
		t.Fatal(err)
	}
	spec := &unit.Release{
		Chart: unit.Chart{Name: "keystone"}, Values: map[string]any{"pod": nil}, Written: []unit.WrittenKey{{Path: []string{"pod"}, Text: "values.pod"}},
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if err := is.leaves(interrupted, spec); !errors.Is(err, context.Canceled) || unit.IsBlocked(err) {
		t.Errorf("what was interrupted says %v", err)
	}
	other := &unit.Release{Name: "other", Chart: spec.Chart, Values: spec.Values, Written: spec.Written}
	if told, err := is.needed(t.Context(), time.Nanosecond, other); err != nil || len(told) > 0 {
		t.Errorf("of what takes too long is told %v, %v", told, err)
	}
	const want = "chart keystone cannot be rendered without what is null: values.pod, take it out, and write null for those keys inside of it that are to go"
	if err := is.leaves(t.Context(), spec); !unit.IsBlocked(err) || err.Error() != want {
		t.Errorf("told %v", err)
	}
}
