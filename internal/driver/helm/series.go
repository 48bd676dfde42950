package helm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
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

// lockedAs returns a chart if it is the one that its entry in the lock file is about: by the digest alone one chart would be
// deployed for another, as after a merge of that file by hand, wherever that lies on the disk already. The error is a
// [unit.BlockedError].
func (s *source) lockedAs(wanted unit.Chart) (*source, error) {
	is := s.metadata()
	if is.Name == wanted.Name && (wanted.Version == "" || is.Version == wanted.Version) {
		return s, nil
	}
	return nil, unit.Blocked(fmt.Sprintf("chart %s has in %s the digest of chart %s %s: take its entry from an earlier commit, or run kupenstack-sync lock --upgrade=%s",
		nameOf(wanted), chartlock.File, is.Name, is.Version, wanted.Name))
}

// version is what a chart says of itself, "" for nothing.
func (s *source) version() string { return s.metadata().Version }

// metadata is the Chart.yaml of a chart, as far as it can be read.
func (s *source) metadata() (metadata chart.Metadata) {
	for _, file := range s.files {
		if file.Name == "Chart.yaml" {
			if yaml.Unmarshal(file.Data, &metadata) != nil { // it cannot be rendered, which is told
				return chart.Metadata{}
			}
		}
	}
	return metadata
}
