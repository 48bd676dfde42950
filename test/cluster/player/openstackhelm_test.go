//go:build beds

package player_test

import (
	"os"
	"path/filepath"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/test/charts"
)

// TestOpenStackHelm plays the real charts with their default values.
func TestOpenStackHelm(t *testing.T) {
	dir := os.Getenv(charts.CheckoutVariable)
	if dir == "" {
		t.Skipf("set %s to a checkout of OpenStack-Helm to play its charts", charts.CheckoutVariable)
	}
	b := newBed(t)
	b.namespace(t, "openstack")
	// Read before, because a goroutine cannot end the test.
	originals := map[string]*chart.Chart{}
	for _, group := range order() {
		for _, name := range group {
			originals[name] = read(t, filepath.Join(dir, name))
			originals[name].SetDependencies(read(t, filepath.Join(dir, "helm-toolkit")))
		}
	}
	b.installAll(t, "openstack", func(name string) (*chart.Chart, map[string]any) { return originals[name], nil })
	b.allJobsSucceeded(t, "openstack")
}

func read(t *testing.T, dir string) *chart.Chart {
	t.Helper()
	loaded, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
