package helm

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

// TestLockedIsRead: what is locked can be read again, whatever a chart's version looks like, and the chart can be had by
// it.
func TestLockedIsRead(t *testing.T) {
	for version, whole := range map[string]bool{
		"1.4.0": true, "1.2.0-rc.1": true, "1.2": false, "1": false, "v1.2": false, "1.2+abc": false, "01.2.3": false,
	} {
		for _, kind := range []string{"https", "oci"} {
			t.Run(version+" "+kind, func(t *testing.T) {
				p := publish(t)
				p.add(t, "app", version, "text")
				repository := p.URL
				if kind == "oci" {
					repository = strings.Replace(p.URL, "https://", "oci://", 1) + "/charts"
				}
				constraint := map[bool]string{true: ">=0-0"}[strings.Contains(version, "-")]
				entries, err := Lock(t.Context(), p.options(t), []chartlock.Wanted{wantedOf(repository, "app", constraint)})
				if kind == "oci" && !whole { // Helm passes over such tags
					if err == nil {
						t.Errorf("locked to %v", entries)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				lock, err := chartlock.Parse(chartlock.New(entries).Bytes())
				if err != nil {
					t.Fatal(err)
				}
				p.add(t, "app", "1.2.9", "another that the version fits as a constraint")
				if _, err := newCharts(p.options(t)).find(t.Context(), chartOf(lock.Entries[0])); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
