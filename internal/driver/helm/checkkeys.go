package helm

import (
	"context"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// codeUnknownKey is of keys that nothing of a chart reads.
const codeUnknownKey diag.Code = "chart.unknown-key"

// CheckKeys tells which keys that somebody wrote for releases nothing of their charts reads, without asking any
// server: charts are those that lie beside the configuration, and locked ones that were kept in the directory of
// options. It returns the names of the others as well, sorted, so far as anything is written for them; what is wrong
// with such a chart is told where it is deployed.
func CheckKeys(ctx context.Context, options Options, units []unit.Unit) (found diag.Diagnostics, unread []string) {
	from := newCharts(options)
	for _, u := range units {
		spec, ok := u.Spec.(*unit.Release)
		if !ok || len(spec.Written) == 0 {
			continue
		}
		source, err := from.atHand(ctx, spec.Chart)
		if err != nil {
			unread = append(unread, spec.Chart.Name)
			continue
		}
		for _, key := range source.unknown(spec) {
			where := key.Range
			if where == (diag.Range{}) {
				where = u.Range
			}
			found.Append(diag.Diagnostic{
				Code: codeUnknownKey, Summary: fmt.Sprintf("unknown key %s", key.Text),
				Detail: fmt.Sprintf("nothing in chart %s reads it, so that it would change nothing", spec.Chart.Name), Hint: key.hint,
				Subject: &where, Address: u.Address, HideAfter: true,
			})
		}
	}
	slices.Sort(unread)
	return found, slices.Compact(unread)
}

// atHand returns a chart that nobody has to be asked for.
func (c *charts) atHand(ctx context.Context, wanted unit.Chart) (*source, error) {
	if wanted.Tree == nil && wanted.Digest != "" {
		return c.kept(wanted)
	}
	return c.find(ctx, wanted)
}
