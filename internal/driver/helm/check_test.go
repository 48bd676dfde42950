package helm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestCheck wants charts that lie beside the configuration or were kept looked at, and held against what is written
// for them, and no others, and nobody asked for any.
func TestCheck(t *testing.T) {
	options := Options{CacheDir: t.TempDir()} // no server is known to it
	file, err := chartutil.Save(&chart.Chart{
		Metadata: &chart.Metadata{APIVersion: "v2", Name: "glance", Version: "1.0.0"}, Raw: []*chart.File{{Name: "values.yaml", Data: []byte("pod: {replicas: 1}\n")}},
		Values: map[string]any{"pod": map[string]any{"replicas": 1}},
	}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(filepath.Join(options.CacheDir, sha256Of(packed)+".tgz"), packed, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	kept := &source{digest: strings.Repeat("1", 64)}
	for name, f := range keystoneChart() {
		if name, ok := strings.CutPrefix(name, "charts/keystone/"); ok {
			kept.files = append(kept.files, &loader.BufferedFile{Name: name, Data: f.Data})
		}
	}
	slices.SortFunc(kept.files, byName)
	kept.digest = digestOfFiles(kept.files)
	if err := newCharts(options).keepFiles(kept); err != nil {
		t.Fatal(err)
	}

	address := addr.MustParseObject("service.keystone")
	const nobody = "https://charts.example.invalid"
	written := func(path ...string) []unit.WrittenKey {
		return []unit.WrittenKey{{Path: path, Text: "values." + strings.Join(path, "."), Range: diag.Range{File: "main.hcl"}}}
	}
	cases := map[string]struct {
		chart   unit.Chart
		written []unit.WrittenKey
		hint    string // of the one mistake, "" for none
		unread  bool
		series  []string
		reason  string // why the chart cannot be used
	}{
		"beside":           {unit.Chart{Name: "keystone", Repository: "charts", Tree: keystoneChart()}, written("pod", "replica"), "did you mean pod.replicas?", false, nil, ""},
		"right":            {unit.Chart{Name: "keystone", Repository: "charts", Tree: keystoneChart()}, written("pod", "replicas"), "", false, nil, ""},
		"not there":        {unit.Chart{Name: "nova", Repository: "charts", Tree: keystoneChart()}, written("pod", "replica"), "", false, nil, "there is no chart nova in the directory charts"},
		"of other series":  {unit.Chart{Name: "keystone", Repository: "charts", Tree: keystoneChart()}, nil, "", false, []string{"2025.1"}, `chart keystone is of version "2026.1.0", and which values it takes is known of 2025.1`},
		"kept, of others":  {unit.Chart{Name: "glance", Repository: nobody, Version: "1.0.0", Digest: digestPrefix + sha256Of(packed)}, written("pods"), "", false, []string{"2025.1"}, `chart glance is of version "1.0.0"`},
		"kept":             {unit.Chart{Name: "glance", Repository: nobody, Version: "1.0.0", Digest: digestPrefix + sha256Of(packed)}, written("pods"), "did you mean pod?", false, nil, ""},
		"kept as another":  {unit.Chart{Name: "heat", Repository: nobody, Version: "1.0.0", Digest: digestPrefix + sha256Of(packed)}, nil, "", false, nil, "chart heat 1.0.0 of " + nobody + " has in charts.lock.json the digest of chart glance 1.0.0"},
		"kept of Git":      {unit.Chart{Name: "keystone", Repository: "git+" + nobody, Digest: digestPrefix + kept.digest, Commit: strings.Repeat("a", 40)}, written("pod", "replica"), "did you mean pod.replicas?", false, nil, ""},
		"not kept":         {unit.Chart{Name: "cinder", Repository: nobody, Version: "1.0.0", Digest: digestPrefix + strings.Repeat("0", 64)}, written("pods"), "", true, nil, ""},
		"not kept of Git":  {unit.Chart{Name: "heat", Repository: "git+" + nobody, Digest: digestPrefix + strings.Repeat("0", 64)}, written("pods"), "", true, nil, ""},
		"not locked":       {unit.Chart{Name: "horizon", Repository: nobody, Version: "1.0.0"}, written("pods"), "", true, nil, ""},
		"nothing to check": {unit.Chart{Name: "neutron", Repository: nobody, Version: "1.0.0"}, nil, "", false, nil, ""},
	}
	for name, c := range cases {
		u := unit.Unit{Address: address, Range: diag.Range{File: "main.hcl"}, Spec: &unit.Release{Name: "r", Chart: c.chart, Written: c.written, Series: c.series}}
		found, unread, err := Check(t.Context(), options, []unit.Unit{u, u})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.unread != slices.Equal(unread, []string{c.chart.Name}) || !c.unread && len(unread) > 0 {
			t.Errorf("%s: not read is %q", name, unread)
		}
		code := codeUnknownKey
		if c.reason != "" {
			code = codeUnusable
			want := 2
			if c.series != nil {
				want = 1 // it is the same mistake
			}
			if len(found) != want || !strings.HasPrefix(found[0].Detail, c.reason) {
				t.Errorf("%s: told is %+v, want %q", name, found, c.reason)
				continue
			}
		} else if c.hint == "" {
			if len(found) > 0 {
				t.Errorf("%s: told is %v", name, found)
			}
			continue
		}
		if len(found) == 0 || c.reason == "" && len(found) != 2 || found[0].Severity != diag.Error || found[0].Code != code || c.reason == "" && found[0].Hint != c.hint ||
			found[0].Subject.File != "main.hcl" || found[0].Address != addr.Address(address) || found[0].HideAfter != (c.reason == "") {
			t.Errorf("%s: told is %+v", name, found)
		}
	}
}

// TestChartsOfOtherSeries: charts of one place that are of other versions than those whose values are known are told in one go, and
// those of another place by themselves.
func TestChartsOfOtherSeries(t *testing.T) {
	tree := keystoneChart()
	for name, version := range map[string]string{"charts/glance": "2019.1.4", "charts/nova": "2026.1.0", "mine/heat": "2019.1.0"} {
		_, short, _ := strings.Cut(name, "/")
		tree[name+"/Chart.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v2\nname: " + short + "\nversion: " + version + "\n")}
	}
	of := func(line int, directory, name string, series ...string) unit.Unit {
		return unit.Unit{
			Address: addr.MustParseObject("service." + name), Range: diag.Range{File: "main.hcl", Start: diag.Pos{Line: line}},
			Spec: &unit.Release{Name: name, Chart: unit.Chart{Name: name, Repository: directory, Tree: tree}, Series: series},
		}
	}
	found, _, err := Check(t.Context(), Options{}, []unit.Unit{
		of(1, "charts", "nova", "2026.1"), of(2, "charts", "keystone", "2025.1"), of(3, "charts", "glance", "2025.1"), of(4, "mine", "heat", "2025.1"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, d := range found {
		told = append(told, fmt.Sprintf("%s at %d: %s", d.Summary, d.Subject.Start.Line, d.Detail))
	}
	const hint = `, or write unknown_versions = true in charts of the cloud`
	want := []string{
		`2 charts cannot be used at 2: charts keystone "2026.1.0" and glance "2019.1.4" are of other versions, and of each which values it takes is known of 2025.1: take charts of that` + hint,
		`chart heat cannot be used at 4: chart heat is of version "2019.1.0", and which values it takes is known of 2025.1: take a chart of that` + hint,
	}
	if !slices.Equal(told, want) {
		t.Errorf("told is %q", told)
	}
}

// TestCheckIsInterrupted: what there was no time to look at is not called right.
func TestCheckIsInterrupted(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	u := unit.Unit{Address: addr.MustParseObject("service.keystone"), Spec: &unit.Release{
		Name: "r", Chart: unit.Chart{Name: "keystone", Repository: "charts", Tree: keystoneChart()},
		Written: []unit.WrittenKey{{Path: []string{"conf", "probe", "peroid"}, Text: "peroid"}},
	}}
	if found, unread, err := Check(ended, Options{CacheDir: t.TempDir()}, []unit.Unit{u}); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "chart keystone") {
		t.Errorf("told is %v, not read is %q: %v", found, unread, err)
	}
}
