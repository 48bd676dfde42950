//go:build beds

package helm

import (
	"cmp"
	"os"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	testcharts "github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestPinsOfAllCharts holds each container of each chart to its digest, that of what ends TLS as well. With OSH_CHARTS
// the charts are those of OpenStack-Helm.
func TestPinsOfAllCharts(t *testing.T) {
	const blocks = "images {\n    lock       = true\n    registries = { \"quay.io\" = \"mirror.example.org\" }\n  }\n  " +
		"tls {\n    issuer = { kind = \"ClusterIssuer\", name = \"openstack-ca\" }\n  }\n"
	m, ev := composed.Text(t, composed.Without(composed.Source("ovn", "lvm", blocks), "designate", "ironic", "magnum", "octavia", "skyline"))
	from := newCharts(Options{CacheDir: t.TempDir()})
	tree := os.DirFS(cmp.Or(os.Getenv(testcharts.CheckoutVariable), testcharts.Dir()))
	for address, u := range composed.Compose(t, m, ev, compose.Facts{Unlocked: true}) {
		spec, is := u.Spec.(*unit.Release)
		if !is {
			continue
		}
		spec.Chart.Repository, spec.Chart.Tree = ".", tree
		images, err := from.images(t.Context(), spec)
		if err != nil || len(images) == 0 {
			t.Errorf("%s runs %q, %v", address, images, err)
			continue
		}
		spec.Pins = map[string]string{}
		for _, image := range images {
			spec.Pins[image] = someDigest
		}
		source, err := from.find(t.Context(), spec.Chart)
		if err != nil {
			t.Fatal(err)
		}
		values, _ := copied(spec.Values).(map[string]any)
		redirect(values, source, spec)
		pin(values, source, spec)
		for _, secret := range spec.Secrets {
			if err := set(values, secret.Path, placeholder); err != nil {
				t.Fatal(err)
			}
		}
		loaded, err := source.chart()
		if err != nil {
			t.Fatal(err)
		}
		hooks, manifests, err := documentsOf(loaded, &wanted{spec: spec, source: source, values: values}, 1, true, chartutil.DefaultCapabilities)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkPins(spec, hooks, manifests); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
