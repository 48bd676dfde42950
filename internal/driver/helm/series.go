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
	if s.known(wanted.Series) {
		return nil
	}
	return unit.Blocked((&untried{series: wanted.Series, names: []string{wanted.Chart.Name}, versions: []string{s.version()}}).String())
}

// known tells whether a chart is of one of some series; nil is for any.
func (s *source) known(series []string) bool {
	version, err := semver.NewVersion(s.version())
	return series == nil || err == nil && slices.Contains(series, fmt.Sprintf("%d.%d", version.Major(), version.Minor()))
}

// untried are charts of one place that are of none of the series whose values are known: one line leads to all of them.
type untried struct {
	repository      string
	series          []string
	names, versions []string   // of each of the charts
	first           *unit.Unit // with one of them
}

// String says what is wrong with them.
func (o *untried) String() string {
	known := strings.Join(o.series, ", ")
	if len(o.names) == 1 {
		return fmt.Sprintf("chart %s is of version %q, and which values it takes is known of %s: take a chart of that, or write unknown_versions = true in charts of the cloud",
			o.names[0], o.versions[0], known)
	}
	charts := make([]string, len(o.names))
	for i, name := range o.names {
		charts[i] = fmt.Sprintf("%s %q", name, o.versions[i])
	}
	return fmt.Sprintf("charts %s are of other versions, and of each which values it takes is known of %s: take charts of that, or write unknown_versions = true in charts of the cloud",
		list(charts), known)
}

// addUntried notes a chart with those that are from the same place.
func addUntried(all []*untried, u *unit.Unit, spec *unit.Release, version string) []*untried {
	i := slices.IndexFunc(all, func(o *untried) bool {
		return o.repository == spec.Chart.Repository && slices.Equal(o.series, spec.Series)
	})
	if i < 0 {
		i = len(all)
		all = append(all, &untried{repository: spec.Chart.Repository, series: spec.Series, first: u})
	}
	if !slices.Contains(all[i].names, spec.Chart.Name) {
		all[i].names, all[i].versions = append(all[i].names, spec.Chart.Name), append(all[i].versions, version)
	}
	return all
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
