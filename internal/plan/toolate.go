package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// CleanedUp is what has gone with a release for certain, sorted.
func CleanedUp(entry *inventory.Entry, state unit.State) []string {
	all := slices.Concat(entry.CleanedUp, state.CleanedUp)
	slices.Sort(all)
	return slices.Compact(all)
}

// without returns the names that others are not among.
func without(names, others []string) []string {
	var left []string
	for _, name := range names {
		if !slices.Contains(others, name) {
			left = append(left, name)
		}
	}
	return left
}

// tooLate says that something cannot go with a service any more.
func tooLate(missed []string) string {
	return strings.Join(missed, ", ") + " of clean_up cannot go with it any more: that was not asked for before its release went"
}

// insteadOf says what to do about that.
func insteadOf(missed []string, service addr.Object) string {
	return fmt.Sprintf("take %s out of clean_up in service %q, and away by hand what is there; or enable the service again, and disable it once it is ready, with clean_up in the same commit",
		strings.Join(missed, ", "), service.Name())
}

// refuseTooLate refuses to take something away with a service that is gone already: nothing of it would happen.
func (p *Plan) refuseTooLate(in *Input) {
	for _, a := range slices.SortedFunc(maps.Keys(in.CleanUps), addr.Object.Compare) {
		cleaned, gone := in.Uninstalled[a]
		if !gone || slices.ContainsFunc(in.Entries, func(e inventory.Entry) bool { return e.Address == a }) {
			continue
		}
		if missed := without(in.CleanUps[a], cleaned); len(missed) > 0 {
			p.Refused = append(p.Refused, diag.Diagnostic{
				Code: CodeTooLate, Subject: rangeOf(in.Ranges, FixedAt(a.String(), schema.CleanUp)),
				Summary: fmt.Sprintf("%s is uninstalled already", a.Name()), Detail: strings.ToUpper(missed[0][:1]) + tooLate(missed)[1:] + ".",
				Hint: insteadOf(missed, a),
			})
		}
	}
}
