package helm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxUnknown is how many unknown keys of a release are told.
const maxUnknown = 10

// toolkit is the library that OpenStack-Helm's charts are made with.
const toolkit = "helm-toolkit"

// keys are those that the chart has places for. They are found out once for the same files; nil for a chart
// that cannot be loaded, which is told when it is rendered.
func (s *source) keys() *chartkeys.Keys {
	s.parsed.Do(func() {
		if loaded, err := s.chart(); err == nil {
			s.places = KeysOf(loaded)
		}
	})
	return s.places
}

// KeysOf returns the keys that a chart has places for; nil, which calls nothing unknown, for one that takes
// values out of charts that it depends on.
func KeysOf(loaded *chart.Chart) *chartkeys.Keys {
	known := chartkeys.Chart{Name: loaded.Name(), Defaults: loaded.Values, Templates: map[string]string{}, Library: map[string]string{}}
	for _, dependency := range loaded.Metadata.Dependencies {
		if len(dependency.ImportValues) > 0 {
			return nil
		}
		known.Toolkit = known.Toolkit || dependency.Name == toolkit
		known.Others = append(known.Others, dependency.Name, dependency.Alias)
		for condition := range strings.SplitSeq(dependency.Condition, ",") {
			top, _, _ := strings.Cut(strings.TrimSpace(condition), ".")
			known.Others = append(known.Others, top)
		}
	}
	for _, dependency := range loaded.Dependencies() {
		known.Others = append(known.Others, dependency.Name())
	}
	gather(loaded, &known)
	return chartkeys.New(known)
}

// gather adds the texts of a chart and of all that it brings along.
func gather(loaded *chart.Chart, known *chartkeys.Chart) {
	templates := known.Templates
	if loaded.Name() == toolkit { // all of it are templates for others, as no file of it is one that Helm renders
		templates = known.Library
	}
	for _, template := range loaded.Templates {
		templates[loaded.ChartFullPath()+"/"+template.Name] = string(template.Data)
	}
	for _, file := range loaded.Files {
		known.Files = append(known.Files, string(file.Data))
	}
	for _, dependency := range loaded.Dependencies() {
		gather(dependency, known)
	}
}

// knows returns a [unit.BlockedError] for keys that somebody wrote and nothing of the chart reads: all of them
// at once, and no value. Any other error is the context's.
func (s *source) knows(ctx context.Context, spec *unit.Release) error {
	var told []string
	all, err := s.unknown(ctx, judgeLimit, spec)
	if err != nil {
		return err
	}
	for _, key := range all[:min(len(all), maxUnknown)] {
		text := key.Text
		if key.Range != (diag.Range{}) {
			text += " (" + key.Range.String() + ")"
		}
		if key.hint != "" {
			text += ", " + key.hint
		}
		told = append(told, text)
	}
	if len(told) == 0 {
		return nil
	}
	if more := len(all) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return unit.Blocked(fmt.Sprintf("nothing in chart %s reads %s", spec.Chart.Name, strings.Join(told, "; ")))
}

// unknownKey is a key that somebody wrote and nothing of a chart reads.
type unknownKey struct {
	unit.WrittenKey
	hint string // see [chartkeys.Unknown]
}

// unknown are the keys of a release that nothing of the chart reads, in their order. For how long it is rendered to
// learn that has a limit, 0 for none. The error is the context's.
func (s *source) unknown(ctx context.Context, limit time.Duration, spec *unit.Release) ([]unknownKey, error) {
	if len(spec.Written) == 0 {
		return nil, nil
	}
	paths := make([][]string, 0, len(spec.Written))
	for _, key := range spec.Written {
		paths = append(paths, key.Path)
	}
	values := []any{spec.Values}
	for _, secret := range spec.Secrets { // they may be templates that read what is written beside them
		values = append(values, secret.Given.Reveal())
	}
	unread := s.keys().Unknown(paths, values)
	var wrong, others [][]string
	var places []int // of the others
	for _, unknown := range unread {
		wrong = append(wrong, paths[unknown.Index])
	}
	for i, path := range paths {
		if !below(path, wrong) {
			others, places = append(others, path), append(places, i)
		}
	}
	inert, err := s.idle(ctx, limit, spec, others)
	if err != nil {
		return nil, err
	}
	for _, idle := range inert {
		unread = append(unread, chartkeys.Unknown{Index: places[idle.Index], Hint: idle.Hint})
	}
	slices.SortStableFunc(unread, func(a, b chartkeys.Unknown) int { return cmp.Compare(a.Index, b.Index) })
	var found []unknownKey
	for _, unknown := range unread {
		key := unknownKey{spec.Written[unknown.Index], unknown.Hint}
		key.Text += unknown.Within
		found = append(found, key)
	}
	return found, nil
}
