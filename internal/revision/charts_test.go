package revision_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestChartsBesideTheConfiguration(t *testing.T) {
	with := func(repository string) string {
		return strings.Replace(deployed, `repository = "charts"`, "repository = "+repository, 1)
	}
	const missing = "main.hcl:4:18"
	for _, tc := range []struct {
		name, text string
		want       string // where it is told, or nothing
		detail     string
	}{
		{"there", with(`"charts"`), "", ""},
		{"there, further down", with(`"vendor/./charts/"`), "", ""},
		{"a repository", with(`"https://charts.example.org"`), "", ""},
		{"not there", with(`"chart"`), missing, `there is no directory "chart" in this revision`},
		{"a file", with(`"main.hcl"`), missing, `the path "main.hcl" is a file`},
		{"from a variable", with("var.where") + "variable \"where\" {\n  default = \"hidden-place\"\n}\n", missing, "there is no directory that this leads to"},
		{"among other mistakes", with(`"chart"`) + "node \"node-2\" {\n  colour = \"red\"\n}\n", missing, `there is no directory "chart"`},
		{"not a path", with(`"../charts"`), "", ""}, // told as a wrong value
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := fstest.MapFS{"main.hcl": {Data: []byte(tc.text)}, "charts/mariadb/Chart.yaml": {}, "vendor/charts/mariadb/Chart.yaml": {}}
			loaded, found := revision.Load("abc", tree, ".", revision.Options{Language: schema.New()})
			var told []diag.Diagnostic
			for _, d := range found.Diagnostics {
				if d.Code == "revision.charts" {
					told = append(told, d)
				}
			}
			if tc.want == "" {
				if len(told) > 0 {
					t.Fatalf("told: %v", told)
				}
				return
			}
			if loaded != nil || len(told) != 1 || told[0].Subject.String() != tc.want || !strings.Contains(told[0].Detail, tc.detail) || told[0].Hint == "" {
				t.Errorf("findings:\n%s", found.Text(false))
			}
			if strings.Contains(found.Text(false), "hidden-place\" in") {
				t.Errorf("the value of a variable is told:\n%s", found.Text(false))
			}
		})
	}
}
