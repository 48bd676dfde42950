package helm

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestSeries(t *testing.T) {
	for _, test := range []struct {
		version string
		series  []string
		fits    bool
	}{
		{"2026.1.0", []string{"2026.1"}, true},
		{"2026.1.14+0ee5adeff", []string{"2025.2", "2026.1"}, true},
		{"2026.10.1", []string{"2026.1"}, false},
		{"2024.2.397", []string{"2026.1"}, false},
		{"", []string{"2026.1"}, false},
		{"2024.2.397", nil, true},
	} {
		s := &source{files: []*loader.BufferedFile{{Name: "Chart.yaml", Data: []byte("name: nova\nversion: " + test.version + "\n")}}}
		err := s.fits(&unit.Release{Chart: unit.Chart{Name: "nova"}, Series: test.series})
		if (err == nil) != test.fits {
			t.Errorf("%q of %q: %v", test.version, test.series, err)
		}
		if err != nil && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), test.version) || !strings.Contains(err.Error(), "unknown_versions")) {
			t.Errorf("%q: %v", test.version, err)
		}
	}
}
