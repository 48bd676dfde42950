package helm

import (
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// chart returns a new chart of the release, whose names stay from one rendering to the next.
func (w *wanted) chart() (*chart.Chart, error) {
	loaded, err := w.source.chart()
	if err == nil {
		KeepNames(loaded, w.spec.Drawn)
	}
	return loaded, err
}

// KeepNames has the templates of a chart draw no names by lot. A template that is not as it is known to be stays as it is:
// what else it draws, such as a password, has to be drawn.
func KeepNames(loaded *chart.Chart, drawn []unit.DrawnNames) {
	for _, names := range drawn {
		for _, template := range loaded.Templates {
			if text := string(template.Data); template.Name == names.Template && onlyNames(text, names) {
				template.Data = []byte(strings.Replace(text, names.Draws, names.Instead, 1))
			}
		}
	}
}

// onlyNames tells whether what a template draws is in nothing but names.
func onlyNames(text string, names unit.DrawnNames) bool {
	before, after, draws := strings.Cut(text, names.Draws)
	return draws && !strings.Contains(strings.ReplaceAll(before+after, names.Name, ""), names.Variable)
}
