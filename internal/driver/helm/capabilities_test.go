package helm

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// aggregating is a cluster with an API server beside it, which it tells of or not.
type aggregating struct {
	API
	teller
	freshness string
}

func newAggregating(t *testing.T) *aggregating {
	const group = `{"metadata":{"name":%q},"versions":[{"version":"v1","freshness":%q,"resources":[%s]}]}`
	c := &aggregating{freshness: "Current"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		items := ""
		switch r.URL.Path {
		case "/version":
			_, _ = fmt.Fprint(w, `{"major":"1","minor":"34","gitVersion":"v1.34.0"}`)
			return
		case "/api":
			items = fmt.Sprintf(group, "", "Current", kindOf("", "ConfigMap", "Namespaced"))
		case "/apis":
			beside := kindOf("metrics.k8s.io", "NodeMetrics", "Cluster")
			if c.freshness == "Stale" {
				beside = ""
			}
			items = fmt.Sprintf(group, "apps", "Current", kindOf("apps", "Deployment", "Namespaced")) + "," + fmt.Sprintf(group, "metrics.k8s.io", c.freshness, beside)
		}
		w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		_, _ = fmt.Fprintf(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[%s]}`, items)
	}))
	t.Cleanup(server.Close)
	c.config = &rest.Config{Host: server.URL}
	return c
}

func (c *aggregating) Getter(ctx context.Context, namespace string) (Getter, error) {
	return c.teller.Getter(ctx, namespace)
}

// A chart that asks for what an API server has which is away waits: without that it has fewer objects, and the others would be
// deleted. One that asks for nothing of it goes on, and one that is wrong whatever there is stays so.
func TestChartsThatAskForWhatIsNotTold(t *testing.T) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
	more := func(condition string) string {
		return object + "{{ if " + condition + " }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n{{ end }}"
	}
	const goes, waits, wrong = "goes on", "waits", "is wrong"
	for _, test := range []struct {
		name, template string
		away           string // while the server is
		objects        int    // while it is there
	}{
		{"nothing", object, goes, 1},
		{"another group", more(`.Capabilities.APIVersions.Has "apps/v1"`), goes, 2},
		{"a kind of another group", more(`.Capabilities.APIVersions.Has "apps/v1/Deployment"`), goes, 2},
		{"a group that there is not", more(`.Capabilities.APIVersions.Has "example.org/v1"`), goes, 1},
		{"another version", more(`.Capabilities.APIVersions.Has "metrics.k8s.io/v1beta1"`), goes, 1},
		{"the version of Kubernetes", more(`semverCompare ">=1.30-0" .Capabilities.KubeVersion.GitVersion`), goes, 2},
		{"the version of Helm", more(`hasPrefix "v3" .Capabilities.HelmVersion.Version`), goes, 2},
		{"the group", more(`.Capabilities.APIVersions.Has "metrics.k8s.io/v1"`), waits, 2},
		{"a kind of it", more(`.Capabilities.APIVersions.Has "metrics.k8s.io/v1/NodeMetrics"`), waits, 2},
		{"a name that is put together", more(`.Capabilities.APIVersions.Has (printf "%s/%s" "metrics.k8s.io" "v1")`), waits, 2},
		{"all of them, one by one", object + `{{ range .Capabilities.APIVersions }}{{ if eq . "metrics.k8s.io/v1" }}` + strings.Replace(object, "a}", "b}", 1) + `{{ end }}{{ end }}`, waits, 2},
		{"all of them as a list", more(`has "metrics.k8s.io/v1" .Capabilities.APIVersions`), waits, 2},
		{"all of them as JSON", more(`contains "metrics.k8s.io/v1" (toJson .Capabilities.APIVersions)`), waits, 2},
		{"all of them as a text", more(`contains "metrics.k8s.io/v1" (printf "%s" .Capabilities.APIVersions)`), waits, 2},
		{"a mistake", more(`fail "no"`), wrong, -1},
		{"a mistake without the group", `{{ if not (.Capabilities.APIVersions.Has "metrics.k8s.io/v1") }}{{ fail "no metrics" }}{{ end }}` + object, waits, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newAggregating(t)
			c.whole.Store(1 << 20)
			d := &Driver{api: c, scopes: newScopes(c), options: Options{Timeout: time.Minute}, rendered: map[string]rendered{}}
			chart := &source{files: []*loader.BufferedFile{
				{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: nova\nversion: 1.0.0\n")}, {Name: "templates/all.yaml", Data: []byte(test.template)},
			}}
			render := func() (rendered, error) {
				d.forget("o", "nova")
				return d.render(t.Context(), &wanted{spec: &unit.Release{Namespace: "o", Name: "nova", Chart: unit.Chart{Name: "nova"}}, source: chart}, 1, true, nil)
			}
			for _, freshness := range []string{"Current", "Stale", "Current"} {
				c.freshness = freshness
				made, err := render()
				got := goes
				switch {
				case unit.IsBlocked(err):
					got = wrong
				case err != nil:
					got = waits
					if !strings.Contains(err.Error(), "chart nova asks whether the cluster has metrics.k8s.io/v1, and it does not tell now") {
						t.Errorf("it says %v", err)
					}
				case len(made.objects) != test.objects:
					t.Errorf("while it is %s there are %d objects, want %d", freshness, len(made.objects), test.objects)
				}
				want := test.away
				if freshness == "Current" && want == waits {
					want = goes
				}
				if got != want {
					t.Errorf("while it is %s it %s, want that it %s: %v", freshness, got, want, err)
				}
			}
		})
	}
}
