package helm

import (
	"context"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// codeUnusable is of charts that cannot be deployed, whatever is written for them.
	codeUnusable diag.Code = "chart.unusable"
	// codeUnknownKey is of keys that nothing of a chart reads.
	codeUnknownKey diag.Code = "chart.unknown-key"
	// codeNeededKey is of keys that are null and that a chart cannot be rendered without.
	codeNeededKey diag.Code = "chart.needed-key"
)

// Check tells which charts of releases cannot be used, which keys that somebody wrote for the others nothing of
// them reads, and which they cannot be rendered without, without asking any server: charts are those that lie beside the configuration, and locked ones that were
// kept in the directory of options. It returns the names of the others as well, sorted, so far as anything is written
// for them; what is wrong with those is told where they are deployed. The error is the context's: then not all was looked at.
func Check(ctx context.Context, options Options, units []unit.Unit) (found diag.Diagnostics, unread []string, err error) {
	from := newCharts(options)
	unusable := func(u *unit.Unit, summary, detail string) {
		where := u.Range
		found.Append(diag.Diagnostic{
			Code: codeUnusable, Summary: summary, Detail: detail,
			Hint:    "put the chart there that the message asks for, or name another place, name or version",
			Subject: &where, Address: u.Address,
		})
	}
	var strange []*untried
	for i := range units {
		u := &units[i]
		spec, ok := u.Spec.(*unit.Release)
		if !ok {
			continue
		}
		source, err := from.atHand(ctx, spec.Chart)
		if err != nil && spec.Chart.Tree == nil && (spec.Chart.Digest == "" || !unit.IsBlocked(err)) {
			if len(spec.Written) > 0 {
				unread = append(unread, spec.Chart.Name)
			}
			continue
		}
		if err != nil {
			unusable(u, fmt.Sprintf("chart %s cannot be used", spec.Chart.Name), err.Error())
			continue
		}
		if !source.known(spec.Series) {
			strange = addUntried(strange, u, spec, source.version())
			continue
		}
		unknown, err := source.unknown(ctx, 0, spec)
		if err != nil {
			return nil, nil, fmt.Errorf("the keys for chart %s: %w", spec.Chart.Name, err)
		}
		about := func(code diag.Code, key unit.WrittenKey, summary, detail, hint string) {
			where := key.Range
			if where == (diag.Range{}) {
				where = u.Range
			}
			found.Append(diag.Diagnostic{Code: code, Summary: summary, Detail: detail, Hint: hint, Subject: &where, Address: u.Address, HideAfter: true})
		}
		for _, key := range unknown {
			about(codeUnknownKey, key.WrittenKey, fmt.Sprintf("unknown key %s", key.Text),
				fmt.Sprintf("nothing in chart %s reads it, so that it would change nothing", spec.Chart.Name), key.hint)
		}
		needed, err := source.needed(ctx, 0, spec)
		if err != nil {
			return nil, nil, fmt.Errorf("the keys for chart %s: %w", spec.Chart.Name, err)
		}
		for _, key := range needed {
			about(codeNeededKey, key.WrittenKey, fmt.Sprintf("%s cannot be null", key.Text),
				fmt.Sprintf("null takes it away, and chart %s cannot be rendered without it", spec.Chart.Name), key.hint)
		}
	}
	for _, o := range strange { // one line mends all of a place
		summary := fmt.Sprintf("chart %s cannot be used", o.names[0])
		if len(o.names) > 1 {
			summary = fmt.Sprintf("%d charts cannot be used", len(o.names))
		}
		unusable(o.first, summary, o.String())
	}
	slices.Sort(unread)
	return found, slices.Compact(unread), nil
}

// FilesOf returns a digest of the files of a chart that lies beside the configuration, and of those beside it that it
// depends on; "" for any other one, and for one that cannot be deployed.
func FilesOf(wanted unit.Chart) string {
	if wanted.Tree == nil {
		return ""
	}
	found, err := newCharts(Options{}).look(context.Background(), wanted) // nobody is asked
	if err != nil {
		return ""
	}
	return found.digest
}

// atHand returns a chart that nobody has to be asked for.
func (c *charts) atHand(ctx context.Context, wanted unit.Chart) (*source, error) {
	if wanted.Tree == nil && wanted.Digest != "" {
		return c.kept(wanted)
	}
	return c.find(ctx, wanted)
}
