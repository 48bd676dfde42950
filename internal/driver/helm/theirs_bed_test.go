//go:build beds

package helm_test

import (
	"testing"
	"testing/fstest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatIsTheirsOutlivesARelease: what another release has taken over, or somebody has said of the object itself that it is to be
// kept, goes neither with an upgrade that has it no more, nor with the release. Helm goes by what it has stored.
func TestWhatIsTheirsOutlivesARelease(t *testing.T) {
	const all = `{{- range .Values.names }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ . }}}
{{- end }}
`
	b := newBed(t, fstest.MapFS{
		"charts/app/Chart.yaml":         file("apiVersion: v2\nname: app\nversion: 1.0.0\n"),
		"charts/app/values.yaml":        file("names: []\ngreeting: \"\"\nauth: {}\n"),
		"charts/app/templates/all.yaml": file(all + "{{- if .Values.greeting }}\n{{- end }}\n"),
	})
	kinds := []string{"own", "moved", "elsewhere", "kept"}
	annotations := map[string]string{
		"own":       `{"example.org/note": "ours"}`,
		"moved":     `{"meta.helm.sh/release-name": "other"}`,
		"elsewhere": `{"meta.helm.sh/release-namespace": "other"}`,
		"kept":      `{"helm.sh/resource-policy": "keep"}`,
	}
	var names []any
	for _, when := range []string{"dropped-", "stays-"} {
		for _, kind := range kinds {
			names = append(names, when+kind)
		}
	}
	b.change(func(spec *unit.Release) { spec.Values["names"] = names })
	b.settle()
	take := func(when string) {
		t.Helper()
		for _, kind := range kinds {
			patch := `{"metadata": {"annotations": ` + annotations[kind] + `}}`
			if _, err := b.client.CoreV1().ConfigMaps(b.namespace).Patch(t.Context(), when+kind, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func(when string) {
		t.Helper()
		list, err := b.client.CoreV1().ConfigMaps(b.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for _, c := range list.Items {
			there[c.Name] = true
		}
		for _, kind := range kinds {
			if there[when+kind] != (kind != "own") {
				t.Errorf("%s%s is there: %t", when, kind, there[when+kind])
			}
		}
	}
	take("dropped-")
	b.change(func(spec *unit.Release) { spec.Values["names"] = names[len(kinds):] })
	b.settle()
	left("dropped-")
	take("stays-")
	b.remove()
	left("stays-")
	left("dropped-")
}
