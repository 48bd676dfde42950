package helm

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lot are the names of a template that has a part which is drawn, as compose knows them.
func lot() []unit.DrawnNames {
	return []unit.DrawnNames{{
		Template: "templates/role.yaml", Draws: "{{- $lot := randAlphaNum 5 | lower }}", Variable: "$lot", Name: `name: {{ printf "role-%s" $lot }}`,
		Instead: `{{- $lot := printf "%s/%s" .Release.Namespace .Release.Name | sha256sum | trunc 8 }}`,
	}}
}

// TestDrawnNames renders twice what draws names by lot: these stay, and whatever else is drawn does not.
func TestDrawnNames(t *testing.T) {
	const role = "{{- $lot := randAlphaNum 5 | lower }}\nkind: Role\nmetadata:\n  name: {{ printf \"role-%s\" $lot }}\nrules: {{ .Values.rules }}\n"
	const password = "password: {{ $lot }}\n"
	for _, test := range []struct {
		name, file, text string
		drawn            []unit.DrawnNames
		same             bool
	}{
		{"names", "role.yaml", role, lot(), true},
		{"names that compose does not know", "role.yaml", role, nil, false},
		{"a password, too", "role.yaml", role + password, lot(), false},
		{"another template", "other.yaml", role, lot(), false},
		{"drawn otherwise", "role.yaml", strings.Replace(role, "randAlphaNum 5", "randAlphaNum 6", 1), lot(), false},
		{"drawn twice", "role.yaml", role + "{{- $lot := randAlphaNum 5 | lower }}\n", lot(), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &source{files: []*loader.BufferedFile{
				{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: adapter\nversion: 1.0.0\n")}, {Name: "templates/" + test.file, Data: []byte(test.text)},
			}}
			rendered := func(release string, rules []any) string {
				t.Helper()
				w := &wanted{spec: &unit.Release{Namespace: "openstack", Name: release, Drawn: test.drawn}, source: s, values: map[string]any{"rules": rules}}
				loaded, err := w.chart()
				if err != nil {
					t.Fatal(err)
				}
				_, manifests, err := documentsOf(loaded, w, 1, false, chartutil.DefaultCapabilities)
				if err != nil {
					t.Fatal(err)
				}
				if len(manifests) != 1 {
					t.Fatalf("%d manifests", len(manifests))
				}
				return manifests[0].Content
			}
			once := rendered("adapter", []any{})
			if same := rendered("adapter", []any{}) == once; same != test.same {
				t.Errorf("rendered the same twice: %t, want %t", same, test.same)
			}
			if changed := strings.Replace(rendered("adapter", []any{"x"}), "[x]", "[]", 1); test.same && changed != once {
				t.Errorf("another value makes\n%s\nof\n%s", changed, once)
			}
			if rendered("other", []any{}) == once {
				t.Error("two releases have one name")
			}
		})
	}
}
