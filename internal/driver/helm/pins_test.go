package helm

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

var someDigest = digestPrefix + strings.Repeat("0f", 32)

// runs is a chart with an image in each place where there can be one: pods, hooks, jobs of the clock, what an
// operator makes pods of, and one that the values cannot change. Its test is never run.
func runs(fixed string) *source {
	file := func(name, text string) *loader.BufferedFile {
		return &loader.BufferedFile{Name: name, Data: []byte(text)}
	}
	return &source{digest: "runs", files: []*loader.BufferedFile{
		file("Chart.yaml", "apiVersion: v2\nname: runs\nversion: 1.0.0\n"),
		file("values.yaml", "images:\n  tags:\n    api: quay.io/a/api:1\n    init: quay.io/a/init:1\n    sync: quay.io/a/sync:1\n    unused: quay.io/a/unused:1\n    none: null\nextra: []\n"),
		file("templates/api.yaml", `apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  template:
    spec:
      initContainers: [{name: init, image: "{{ .Values.images.tags.init }}"}]
      containers:
      - {name: api, image: "{{ .Values.images.tags.api }}"}
`+fixed+`
{{ with .Values.extra }}{{ toYaml . | indent 6 }}{{ end }}
`),
		file("templates/sync.yaml", `{{ if .Release.IsInstall }}
apiVersion: batch/v1
kind: Job
metadata: {name: sync, annotations: {"helm.sh/hook": post-install}}
spec: {template: {spec: {containers: [{name: sync, image: "{{ .Values.images.tags.sync }}"}]}}}
{{ else }}
apiVersion: batch/v1
kind: CronJob
metadata: {name: clean}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: clean, image: "quay.io/a/clean@`+someDigest+`"}]}}}}}
{{ end }}
`),
		file("templates/test.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: test, annotations: {\"helm.sh/hook\": test-success}}\nspec: {containers: [{name: test, image: quay.io/a/test:1}]}\n"),
		file("templates/text.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: text}\ndata: {pod: \"containers: [{image: 'quay.io/a/text:1'}]\", image: quay.io/a/data:1}\n"),
	}}
}

func specOf(pins map[string]string, values map[string]any) *unit.Release {
	return &unit.Release{Namespace: "openstack", Name: "runs", Chart: unit.Chart{Name: "runs"}, Values: values, Locked: pins != nil, Pins: pins}
}

// pinnedRun renders the chart as a step does.
func pinnedRun(t *testing.T, s *source, spec *unit.Release, install bool) ([]string, error) {
	t.Helper()
	values, _ := copied(spec.Values).(map[string]any)
	redirect(values, s, spec)
	pin(values, s, spec)
	loaded, err := s.chart()
	if err != nil {
		t.Fatal(err)
	}
	hooks, manifests, err := documentsOf(loaded, &wanted{spec: spec, source: s, values: values}, 1, install, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	images, err := imagesIn(hooks, manifests)
	if err != nil {
		t.Fatal(err)
	}
	return images, checkPins(spec, hooks, manifests)
}

func TestPins(t *testing.T) {
	sidecar := map[string]any{"extra": []any{map[string]any{"name": "side", "image": "docker.io/library/nginx:1"}}}
	pins := map[string]string{"docker.io/library/nginx:1": someDigest}
	for _, image := range []string{"api", "init", "sync"} {
		pins["quay.io/a/"+image+":1"] = someDigest
	}
	images, err := pinnedRun(t, runs(""), specOf(pins, sidecar), true)
	want := []string{
		"docker.io/library/nginx:1@" + someDigest, "quay.io/a/api:1@" + someDigest, "quay.io/a/init:1@" + someDigest, "quay.io/a/sync:1@" + someDigest,
	}
	if err != nil || !slices.Equal(images, want) {
		t.Errorf("%q run, want %q, %v", images, want, err)
	}
	if sidecar["extra"].([]any)[0].(map[string]any)["image"] != "docker.io/library/nginx:1" {
		t.Error("the specification was changed")
	}

	// Whoever locks nothing is left alone.
	if images, err := pinnedRun(t, runs(""), specOf(nil, map[string]any{}), true); err != nil || strings.Contains(strings.Join(images, " "), "@") {
		t.Errorf("%q run, %v", images, err)
	}

	without := func(image string) map[string]string {
		fewer := maps.Clone(pins)
		delete(fewer, image)
		return fewer
	}
	for name, c := range map[string]struct {
		source  *source
		spec    *unit.Release
		install bool
		want    string
	}{
		"all":                     {runs(""), specOf(pins, map[string]any{}), true, ""},
		"a hook":                  {runs(""), specOf(without("quay.io/a/sync:1"), map[string]any{}), true, "has no digest of quay.io/a/sync:1, which runs would run: run kupenstack-sync lock"},
		"what the hook has":       {runs(""), specOf(without("quay.io/a/sync:1"), map[string]any{}), false, ""},
		"an init container":       {runs(""), specOf(without("quay.io/a/init:1"), map[string]any{}), false, "no digest of quay.io/a/init:1"},
		"nothing locked":          {runs(""), specOf(map[string]string{}, sidecar), true, "docker.io/library/nginx:1, quay.io/a/api:1, quay.io/a/init:1, quay.io/a/sync:1"},
		"another registry":        {runs(""), &unit.Release{Name: "runs", Chart: unit.Chart{Name: "runs"}, Values: map[string]any{}, Locked: true, Pins: pins, Registries: map[string]string{"quay.io": "mirror.example.org"}}, false, "no digest of mirror.example.org/a/api:1"},
		"a digest by itself":      {runs(""), specOf(pins, map[string]any{"images": map[string]any{"tags": map[string]any{"api": "quay.io/b:1@" + someDigest}}}), true, ""},
		"where no value leads to": {runs("      - {name: fixed, image: \"quay.io/a/api:1\"}"), specOf(pins, map[string]any{}), true, "chart runs has quay.io/a/api:1 neither in images.tags nor from the values"},
	} {
		_, err := pinnedRun(t, c.source, c.spec, c.install)
		if (err == nil) != (c.want == "") || err != nil && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if got := listed([]string{"a", "b", "c", "d", "e", "f", "g"}); got != "a, b, c, d, e, 2 more" {
		t.Errorf("listed as %q", got)
	}
}

// TestImages has the images found that run, with those of upgrades, and none that is only named.
func TestImages(t *testing.T) {
	p := publish(t)
	c := newCharts(p.options(t))
	spec := specOf(map[string]string{}, map[string]any{"images": map[string]any{"tags": map[string]any{"api": "quay.io/b/api:2"}}})
	spec.Registries, spec.OwnImages = map[string]string{"quay.io": "mirror.example.org"}, []string{"api"}
	spec.Secrets = []unit.ValueSecret{{Path: []string{"auth", "password"}, Namespace: "openstack", Name: "keys", Key: "password"}}
	spec.Chart = unit.Chart{Name: "runs", Repository: "oci://charts.example.org", Version: "1.0.0", Digest: "sha256:runs"}
	c.found[keyOf(spec.Chart)] = runs("")
	images, err := c.images(t.Context(), spec)
	want := []string{"mirror.example.org/a/init:1", "mirror.example.org/a/sync:1", "quay.io/a/clean@" + someDigest, "quay.io/b/api:2"}
	if err != nil || !slices.Equal(images, want) {
		t.Errorf("%q, %v; want %q", images, err, want)
	}
	if p.requests.Load() != 0 {
		t.Errorf("%d requests", p.requests.Load())
	}
}
