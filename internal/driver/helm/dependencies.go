package helm

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// buildThem is what to do about dependencies of a chart that lies in a directory.
	buildThem = "run helm dependency build for it, and commit what that puts into charts/; a packed chart has to be packed again after that"
	// packThem is what to do about those of a chart that somebody has published.
	packThem = "it has to be published with them, as by helm package --dependency-update: take a version that has them"
)

// whole refuses a chart that has not got all that it depends on: Helm renders it without, and an upgrade would delete
// what the charts that lack had made. A chart that cannot be loaded is told of where it is rendered. The error is a
// [unit.BlockedError].
func (s *source) whole(wanted unit.Chart) error {
	s.checked.Do(func() { s.lacks = s.lack() })
	if s.lacks == "" {
		return nil
	}
	advice := packThem
	if wanted.Tree != nil {
		advice = buildThem
	}
	return unit.Blocked(fmt.Sprintf("%s: %s", s.lacks, advice))
}

// lack is what a chart, or one beside it that it depends on, has not got.
func (s *source) lack() string {
	for _, dependency := range s.dependencies {
		if lacks := dependency.lack(); lacks != "" {
			return lacks
		}
	}
	loaded, err := s.chart()
	if err != nil {
		return ""
	}
	return lackOf(loaded)
}

// lackOf tells which of the charts that a chart declares it has not got, or of another version; "" for none. As for
// Helm's own commands, those have to be there as well that values turn off.
func lackOf(loaded *chart.Chart) string {
	var all []string
	for _, declared := range loaded.Metadata.Dependencies {
		if declared == nil {
			continue
		}
		var others []string
		fits := false
		constraint, err := constraintOf(declared.Version)
		if err != nil {
			return fmt.Sprintf("chart %s depends on %s of no version that there can be: %v", loaded.Name(), declared.Name, err)
		}
		for _, has := range loaded.Dependencies() {
			if has.Name() != declared.Name {
				continue
			}
			version, err := semver.NewVersion(has.Metadata.Version)
			fits = fits || err == nil && constraint.Check(version)
			others = append(others, fmt.Sprintf("%q", has.Metadata.Version))
		}
		name := strings.TrimSpace(declared.Name + " " + declared.Version)
		switch {
		case fits:
		case len(others) > 0:
			all = append(all, fmt.Sprintf("%s, of which there is version %s", name, strings.Join(others, " and ")))
		default:
			all = append(all, name+", which is neither in its charts/ nor beside it")
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("chart %s depends on %s", loaded.Name(), strings.Join(all, "; and on "))
}
