package daemon

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Masked returns a snapshot without what the cluster knows to be secret in its texts. Each driver takes out what is secret to
// what it looks at, and what one of them hears may quote what another one has: an API says why it cannot reach its database.
// Texts are cut afterwards, as the first part of a secret could be left of one.
func Masked(mask func(string) string, snapshot engine.Snapshot) engine.Snapshot {
	snapshot.Units = slices.Clone(snapshot.Units)
	for i := range snapshot.Units {
		u := &snapshot.Units[i]
		u.Reason, u.Cost, u.API.Message, u.API.Detail = mask(u.Reason), mask(u.Cost), mask(u.API.Message), mask(u.API.Detail)
		u.Details = maskedAll(mask, u.Details)
		u.Fields, u.Healed = maskedFields(mask, u.Fields), maskedFields(mask, u.Healed)
	}
	snapshot.Sightings = slices.Clone(snapshot.Sightings)
	for i := range snapshot.Sightings {
		s := &snapshot.Sightings[i]
		s.Why = mask(s.Why)
	}
	snapshot.Suspensions = slices.Clone(snapshot.Suspensions)
	for i := range snapshot.Suspensions {
		s := &snapshot.Suspensions[i]
		s.Reason = mask(s.Reason)
	}
	snapshot.Blind = maskedAll(mask, snapshot.Blind)
	snapshot.Refused = maskedDiagnostics(mask, snapshot.Refused)
	return snapshot
}

// MaskedPlan is the same for a plan, and for what was found in the configuration beside it.
func MaskedPlan(mask func(string) string, made *plan.Plan, found diag.Diagnostics) (*plan.Plan, diag.Diagnostics) {
	masked := *made
	masked.Changes = slices.Clone(made.Changes)
	for i := range masked.Changes {
		c := &masked.Changes[i]
		c.Reason, c.Cost, c.Closes, c.Suspended = mask(c.Reason), mask(c.Cost), mask(c.Closes), mask(c.Suspended)
		c.Fields, c.Mends = maskedFields(mask, c.Fields), maskedFields(mask, c.Mends)
	}
	masked.Refused, masked.Warnings = maskedDiagnostics(mask, made.Refused), maskedDiagnostics(mask, made.Warnings)
	return &masked, maskedDiagnostics(mask, found)
}

func maskedAll(mask func(string) string, texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = mask(texts[i])
	}
	return texts
}

func maskedFields(mask func(string) string, fields []unit.Field) []unit.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		f.Path, f.Before, f.After, f.Beside = mask(f.Path), mask(f.Before), mask(f.After), mask(f.Beside)
	}
	return fields
}

func maskedDiagnostics(mask func(string) string, all diag.Diagnostics) diag.Diagnostics {
	all = slices.Clone(all)
	for i := range all {
		d := &all[i]
		d.Summary, d.Detail, d.Hint = mask(d.Summary), mask(d.Detail), mask(d.Hint)
	}
	return all
}

// mask takes out of a text what the cluster has of secrets.
func (d *Daemon) mask(text string) string {
	if d.Board == nil {
		return text
	}
	return d.Board.Mask(text)
}
