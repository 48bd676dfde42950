package helm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// indexOf is an index as Helm writes it.
func indexOf(t *testing.T, charts, versions int) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("apiVersion: v1\nentries:\n")
	for c := range charts {
		fmt.Fprintf(&b, "  chart%d:\n", c)
		for v := range versions {
			fmt.Fprintf(&b, "  - apiVersion: v2\n    created: \"2026-01-01T00:00:00Z\"\n    description: %s\n    digest: %064d\n    name: chart%d\n    urls:\n    - https://charts.example.org/chart%d-1.%d.0.tgz\n    version: 1.%d.0\n",
				strings.Repeat("words ", 80), v, c, c, v, v)
		}
	}
	b.WriteString("generated: \"2026-01-01T00:00:00Z\"\n")
	return b.Bytes()
}

func TestIndex(t *testing.T) {
	plain := `apiVersion: v1
entries:
  nova:
  - apiVersion: v2
    description: |
      nova: none
      entries:
    name: nova
    version: 1.4.0
  # another one
  "glance":
  - {apiVersion: v2, name: glance, version: 2.0.0}
  - apiVersion: v2
    name: glance
    version: 2.1.0

  empty: []
generated: "2026-01-01T00:00:00Z"
`
	wide := strings.ReplaceAll(strings.ReplaceAll(plain, "\n    ", "\n      "), "\n  - ", "\n    - ")
	converted, err := yaml.YAMLToJSON([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, converted, "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain": plain, "wide": wide, "with CR": strings.ReplaceAll(plain, "\n", "\r\n"), "a document": "# of ours\n---\n" + plain,
		"JSON": string(converted), "indented JSON": "\n" + indented.String(),
		"long lines":  strings.Replace(plain, "nova: none", strings.Repeat("nova: none ", 20_000), 1),
		"anchors":     strings.Replace(strings.Replace(plain, "apiVersion: v1", "apiVersion: &a v1", 1), "  empty: []", "  empty: []\n  none: [{apiVersion: *a}]", 1),
		"inline":      "apiVersion: v1\nentries: {nova: [{apiVersion: v2, name: nova, version: 1.4.0}], glance: [{apiVersion: v2, name: glance, version: 2.1.0}, {apiVersion: v2, name: glance, version: 2.0.0}]}\n",
		"version end": strings.Replace(plain, "apiVersion: v1\n", "", 1) + "apiVersion: v1\n",
	} {
		t.Run(name, func(t *testing.T) {
			read, err := newIndex(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			for chart, want := range map[string]string{"nova": "1.4.0", "glance": "2.1.0", "heat": "", "empty": ""} {
				found, err := read.of(chart, t.TempDir())
				if err != nil {
					t.Fatalf("%s: %v", chart, err)
				}
				version, err := found.Get(chart, "")
				if (err == nil) != (want != "") || err == nil && version.Version != want {
					t.Errorf("%s: %v, %v", chart, version, err)
				}
			}
		})
	}
	for name, text := range map[string]string{
		"nothing": "", "no index": "<html>\n<body>it works</body>\n", "no version": strings.Replace(plain, "apiVersion: v1\n", "", 1),
		"JSON, cut off": string(converted[:len(converted)/2]), "JSON of another": `["entries"]`, "large, of another form": "entries: {" + strings.Repeat("# text\n", 400_000) + "}\n",
		"large entry": "apiVersion: v1\nentries:\n  nova:\n  - description: " + strings.Repeat("text", maxEntry/4) + "\n",
	} {
		read, err := newIndex(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if found, err := read.of("nova", t.TempDir()); err == nil {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestIndexInMemory: a large index takes little memory, while it is read and after that.
func TestIndexInMemory(t *testing.T) {
	text := indexOf(t, 80, 300)
	if len(text) < 15<<20 {
		t.Fatalf("the index has %d bytes only", len(text))
	}
	asJSON := append([]byte(`{"apiVersion":"v1","entries":{"other":[`), bytes.Repeat([]byte(`{"name":"other","version":"1.0.0"},`), 400_000)...)
	asJSON = append(asJSON, `{}],"chart7":[{"apiVersion":"v2","name":"chart7","version":"1.299.0"}]}}`...)
	for name, text := range map[string][]byte{"YAML": text, "JSON": asJSON} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read, err := newIndex(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		found, err := read.of("chart7", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if version, err := found.Get("chart7", ""); err != nil || version.Version != "1.299.0" {
			t.Errorf("%s: found %v, %v", name, version, err)
		}
		// All that was allocated, what is free again included: decoded as a whole, it is some hundreds of MiB.
		if used := after.TotalAlloc - before.TotalAlloc; name == "YAML" && used > 48<<20 { // what is passed over in JSON is free at once
			t.Errorf("%s of %d MiB took %d MiB", name, len(text)>>20, used>>20)
		}
		if len(read.packed) > len(text)/5 {
			t.Errorf("%s: %d bytes stay", name, len(read.packed))
		}
	}
}

// TestAnswersAreBounded: a server that sends without end is left, with what to do, and what it announces to be too
// large is not read.
func TestAnswersAreBounded(t *testing.T) {
	var sent atomic.Int64
	endless := func(w http.ResponseWriter, r *http.Request) {
		line := bytes.Repeat([]byte("# text\n"), 5000)
		for r.Method != http.MethodHead && sent.Load() < 10*maxIndex { // a test that fails ends, too
			n, err := w.Write(line)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	}
	const index, packed = "the index: it is larger than 32 MiB: publish the chart in", "larger than 20 MiB, and no chart of that size"
	manifest := fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
		"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","digest":"sha256:%s","size":2},
		"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"sha256:%064d","size":%d}]}`, sha256Of([]byte("{}")), 2, int64(1)<<40)
	for name, test := range map[string]struct {
		serve      func(w http.ResponseWriter, r *http.Request)
		kind, want string
		most       int64
	}{
		"index": {endless, "https", index, maxIndex},
		"announced index": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(maxIndex+1))
			endless(w, r)
		}, "https", "it is larger than 32 MiB", 0},
		"chart": {func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".tgz") {
				endless(w, r)
				return
			}
			fmt.Fprint(w, "apiVersion: v1\nentries:\n  app:\n  - {apiVersion: v2, name: app, version: 1.0.0, urls: ['app-1.0.0.tgz?token=canary']}\n")
		}, "https", packed, maxDownload},
		"tags":     {endless, "oci", "", maxDownload},
		"manifest": {func(w http.ResponseWriter, r *http.Request) { oneTag(w, r.URL.Path, func() { endless(w, r) }) }, "oci", "", maxDownload},
		"layer": {func(w http.ResponseWriter, r *http.Request) {
			oneTag(w, r.URL.Path, func() {
				if strings.HasSuffix(r.URL.Path, sha256Of([]byte("{}"))) {
					fmt.Fprint(w, "{}")
					return
				}
				if !strings.Contains(r.URL.Path, "/manifests/") {
					endless(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				w.Header().Set("Docker-Content-Digest", digestPrefix+sha256Of([]byte(manifest)))
				w.Header().Set("Content-Length", fmt.Sprint(len(manifest)))
				fmt.Fprint(w, manifest)
			})
		}, "oci", packed, maxDownload},
	} {
		t.Run(name, func(t *testing.T) {
			sent.Store(0)
			server := httptest.NewTLSServer(http.HandlerFunc(test.serve))
			defer server.Close()
			transport, _ := server.Client().Transport.(*http.Transport)
			options := Options{CacheDir: t.TempDir(), Transport: transport}
			repository := strings.Replace(server.URL, "https", test.kind, 1) + "/charts"
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			entries, err := Lock(t.Context(), options, []chartlock.Wanted{wantedOf(repository, "app", "")})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("locked to %v, %v; want %s", entries, err, test.want)
			}
			const onTheWay = 16 << 20 // in buffers of both sides
			if n := sent.Load(); n > 2*test.most+onTheWay {
				t.Errorf("%d MiB were sent", n>>20)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 160<<20 {
				t.Errorf("it took %d MiB", used>>20)
			}
			locked := unit.Chart{Name: "app", Repository: repository, Version: "1.0.0", Digest: digestPrefix + strings.Repeat("0", 64)}
			if _, err := newCharts(options).find(t.Context(), locked); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("a locked one: %v", err)
			}
		})
	}
}

// oneTag answers as a registry with one version of one chart.
func oneTag(w http.ResponseWriter, path string, others func()) {
	if strings.Contains(path, "/tags/") {
		fmt.Fprint(w, `{"name":"charts/app","tags":["1.0.0"]}`)
		return
	}
	others()
}
