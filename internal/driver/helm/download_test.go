package helm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A repository that cannot be reached makes nothing unknown but what its chart would change: a release that is
// deployed is seen without. A failure is told once before there is another attempt.
func TestAChartThatIsAway(t *testing.T) {
	spec := &unit.Release{Namespace: "o", Name: "keystone", Chart: unit.Chart{Name: "keystone", Repository: "oci://charts.test", Version: "1.0.0", Digest: "sha256:00"}}
	landed := make(chan struct{})
	close(landed)
	for _, test := range []struct {
		name   string
		flight *flight
		want   string
		left   bool // the download goes on
	}{
		{"refused", &flight{begun: time.Now(), landed: landed, err: &chartError{nameOf(spec.Chart), errors.New("no route")}}, "no route", false},
		{"silent", &flight{begun: time.Now().Add(-time.Minute), landed: make(chan struct{})}, "has not answered for 1m0s", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, deployed := range []bool{true, false} {
				d := &Driver{charts: newCharts(Options{CacheDir: t.TempDir()})}
				d.charts.flights[keyOf(spec.Chart)] = test.flight
				v := &view{masker: redact.NewMasker()}
				if deployed {
					v.newest = &revision{stored: stored{version: 1, status: release.StatusDeployed}}
				}
				err := d.wish(t.Context(), v, spec)
				text := v.unseen
				if !deployed && err != nil {
					text = err.Error()
				}
				if deployed != (err == nil) || v.want != nil || !strings.Contains(text, test.want) || !strings.Contains(text, "keystone 1.0.0 of oci://charts.test") {
					t.Errorf("deployed %t: %q, %v", deployed, v.unseen, err)
				}
				if _, left := d.charts.flights[keyOf(spec.Chart)]; left != test.left {
					t.Errorf("deployed %t: the download goes on: %t", deployed, left)
				}
			}
		})
	}

	// Who asks has a deadline of his own, and what arrives counts for those who ask later.
	c := newCharts(Options{CacheDir: t.TempDir()})
	late := &flight{begun: time.Now(), landed: make(chan struct{}), loaded: &source{digest: "a"}}
	c.flights[keyOf(spec.Chart)] = late
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.find(ended, spec.Chart); err == nil {
		t.Error("it waited although nobody does any more")
	}
	close(late.landed)
	if found, err := c.find(ended, spec.Chart); err != nil || found != late.loaded {
		t.Errorf("what has arrived: %v, %v", found, err)
	}
}

// A daemon has to do with other charts after each lock --upgrade: not all that it ever had stay in its memory, and what
// is wanted again is on the disk. Who has more of them than there are places does not lose all for one.
func TestChartsInMemoryAreBounded(t *testing.T) {
	c := newCharts(Options{CacheDir: t.TempDir()})
	var all []unit.Chart
	for i := range maxCached + 2 {
		version := fmt.Sprintf("1.0.%d", i)
		file, err := chartutil.Save(&chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "nova", Version: version}}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := save(c.fileOf(sha256Of(data)), data); err != nil {
			t.Fatal(err)
		}
		all = append(all, unit.Chart{Name: "nova", Repository: "https://charts.test", Version: version, Digest: digestPrefix + sha256Of(data)})
	}
	for i, wanted := range append(all, all[0]) {
		found, err := c.find(t.Context(), wanted)
		if err != nil || found.version() != wanted.Version {
			t.Fatalf("%s: %v, %v", nameOf(wanted), found, err)
		}
		c.mu.Lock()
		downloaded, sources := len(c.found), len(c.sources)
		c.mu.Unlock()
		if want := min(i+1, maxCached); downloaded != want || sources != want {
			t.Fatalf("%d charts that were downloaded and %d sources are in memory, want %d of each", downloaded, sources, want)
		}
	}
}
