package helm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fits tells whether the values of a release were made for charts of this version: what a key means changes from
// one to another, and Helm takes any. The error is a [unit.BlockedError].
func (s *source) fits(wanted *unit.Release) error {
	if wanted.Series == nil {
		return nil
	}
	text := s.version()
	version, err := semver.NewVersion(text)
	if err == nil && slices.Contains(wanted.Series, fmt.Sprintf("%d.%d", version.Major(), version.Minor())) {
		return nil
	}
	return unit.Blocked(fmt.Sprintf("chart %s is of version %q, and which values it takes is known of %s: take a chart of that, or write unknown_versions = true in charts of the cloud",
		wanted.Chart.Name, text, strings.Join(wanted.Series, ", ")))
}

// version is what a chart says of itself, "" for nothing.
func (s *source) version() string {
	for _, file := range s.files {
		if file.Name != "Chart.yaml" {
			continue
		}
		var metadata chart.Metadata
		if yaml.Unmarshal(file.Data, &metadata) == nil { // else it cannot be rendered, which is told
			return metadata.Version
		}
	}
	return ""
}
