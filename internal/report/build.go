package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// nameText is how long a name, a path or a hash may be.
const nameText = 300

// newDocument makes the document of an input. Units that are gone are not in it: nothing of them
// is left to tell.
func newDocument(in *Input, verdict Verdict, l limits) *document {
	d := &document{
		FormatVersion: FormatVersion, Program: line(in.Version, nameText), Verdict: verdict,
		Source:  sourceDoc{line(in.Repository, nameText), line(in.Ref, nameText), line(in.Path, nameText)},
		Head:    newCommit(in.Head),
		Applied: newCommit(in.Applied),
		Foreign: foreign(in),
		Counts:  countsDoc{Phases: map[engine.Phase]int{}},

		Problems: []string{}, Services: []serviceDoc{}, Nodes: []nodeDoc{}, Resources: []resourceDoc{}, Units: []unitDoc{},
	}
	for _, problem := range in.Problems[:min(len(in.Problems), l.list)] {
		d.Problems = append(d.Problems, line(problem, l.text))
	}
	d.Suspensions, d.SuspensionsLeftOut = newSuspensions(in.Snapshot.Suspensions, l)
	d.Grants, d.GrantsLeftOut = newGrants(in.Snapshot.Grants, l)
	d.Plans, d.PlansLeftOut = newPlans(in.Plans)
	d.Refused, _ = newFindings(in.Snapshot.Refused, l)
	d.Warnings, d.WarningsLeftOut = newFindings(in.Warnings, l)
	if in.Bad != nil {
		d.Bad = &badDoc{Text: block(in.Bad.Text, 20*l.text)}
		if c := newCommit(in.Bad.Commit); c != nil {
			d.Bad.Commit = *c
		}
		d.Bad.Diagnostics, d.Bad.LeftOut = newFindings(in.Bad.Diagnostics, l)
	}
	if m := in.Model; m != nil {
		c := &m.Cloud
		d.Cloud = &cloudDoc{
			Name: line(c.Name, nameText), Release: line(c.Release, nameText), Region: line(c.Region, nameText),
			Namespace: line(c.Namespace, nameText), NetworkBackend: line(c.NetworkBackend, nameText),
			StorageBackend: line(c.StorageBackend, nameText), Profile: line(c.Profile, nameText),
		}
	}
	for i := range in.Snapshot.Units {
		if u := &in.Snapshot.Units[i]; u.Phase != engine.PhaseGone {
			d.count(u)
			if l.units == 0 || len(d.Units) < l.units {
				doc := newUnit(u, l)
				doc.trail = in.trails.units[doc.Address].brief(doc.Phase, d.Applied)
				d.Units = append(d.Units, doc)
			} else {
				d.UnitsLeftOut++
			}
		}
	}
	d.Commits, d.Remembered = in.trails.named(d.Applied), in.trails.remembered(in)
	d.Services = append(d.Services, newServices(in, l)...)
	d.Nodes = append(d.Nodes, newNodes(in, l)...)
	slices.SortFunc(d.Resources, func(a, b resourceDoc) int { return cmp.Compare(a.Kind, b.Kind) })
	return d
}

// count adds a unit to the numbers.
func (d *document) count(u *engine.UnitStatus) {
	d.Counts.Units++
	d.Counts.Phases[u.Phase]++
	if u.Drift {
		d.Counts.Drifted++
	}
	if len(u.Healed) > 0 {
		d.Counts.Healed++
	}
	if u.Class != unit.ClassResource && u.Class != unit.ClassWorkload {
		return
	}
	kind := kindOf(u)
	i := slices.IndexFunc(d.Resources, func(r resourceDoc) bool { return r.Kind == kind })
	if i < 0 {
		i = len(d.Resources)
		d.Resources = append(d.Resources, resourceDoc{Kind: kind, Phases: map[engine.Phase]int{}, File: fileName("resources", kind, ".json")})
	}
	d.Resources[i].Total++
	d.Resources[i].Phases[u.Phase]++
	if u.Drift {
		d.Resources[i].Drifted++
	}
}

// kindOf is the kind of a unit as the configuration calls it: several of its kinds are one to a driver.
func kindOf(u *engine.UnitStatus) string {
	if u.Class == unit.ClassWorkload {
		return u.Address.Kind()
	}
	return u.Kind
}

func newCommit(c Commit) *commitDoc {
	if c.Hash == "" {
		return nil
	}
	doc := &commitDoc{Hash: line(c.Hash, nameText), Author: line(c.Author, nameText), Subject: line(c.Subject, nameText)}
	if !c.Time.IsZero() {
		doc.Time = c.Time.UTC().Format(time.RFC3339)
	}
	return doc
}

func newFindings(ds diag.Diagnostics, l limits) (docs []findingDoc, leftOut int) {
	docs = []findingDoc{}
	for _, d := range ds {
		if len(docs) == l.findings {
			return docs, len(ds) - len(docs)
		}
		doc := findingDoc{
			Severity: d.Severity, Code: diag.Code(line(string(d.Code), nameText)),
			Summary: line(d.Summary, l.text), Detail: block(d.Detail, l.text), Hint: line(d.Hint, l.text),
		}
		if d.Subject != nil {
			doc.At = line(d.Subject.String(), nameText)
		}
		if d.Address != nil {
			doc.Address = line(d.Address.String(), nameText)
		}
		docs = append(docs, doc)
	}
	return docs, 0
}

func newUnit(u *engine.UnitStatus, l limits) unitDoc {
	doc := unitDoc{
		Address: addressText(u.Address), Class: u.Class, Kind: kindOf(u), Phase: u.Phase, Reason: line(u.Reason, l.text),
		Action: u.Action, Cost: line(u.Cost, l.text), Drift: u.Drift, ID: line(u.ID, max(l.text, 64)),
		Attempts: min(u.Attempts, maxAttempts), Release: u.Release, At: place(u.Range), status: u,
	}
	doc.Waits = addresses(first(u.Waits, l, &doc.Cut))
	doc.Causes = addresses(first(u.Causes, l, &doc.Cut))
	doc.Fields = fields(first(u.Fields, l, &doc.Cut), l)
	doc.Healed = fields(first(u.Healed, l, &doc.Cut), l)
	doc.Details = lines(first(u.Details, l, &doc.Cut), l.text)
	doc.Did = first(u.Did, l, &doc.Cut)
	for _, e := range first(u.Edges, l, &doc.Cut) {
		if e.Gate != unit.GateKeep { // that holds back nothing of this unit
			doc.Needs = append(doc.Needs, needDoc{addressText(e.To), e.Until, e.Gate, e.Part})
		}
	}
	return doc
}

// first returns as much of a list as the limits allow, and notes when that is not all.
func first[T any](list []T, l limits, wasCut *bool) []T {
	if len(list) <= l.list {
		return list
	}
	*wasCut = true
	return list[:l.list]
}

func fields(list []unit.Field, l limits) []unit.Field {
	var clean []unit.Field
	for _, f := range list {
		clean = append(clean, unit.Field{
			Path: line(f.Path, l.text), Before: line(f.Before, l.text), After: line(f.After, l.text), Effect: f.Effect,
		})
	}
	return clean
}

// addressText is an address as it is shown. A key that has the form of a URL may hold a credential.
func addressText(a addr.Object) string { return mask(a.String()) }

func addresses(list []addr.Object) []string {
	var texts []string
	for _, a := range list {
		texts = append(texts, addressText(a))
	}
	return texts
}

// place returns file and line; empty for what is not written anywhere.
func place(r diag.Range) string {
	if r.File == "" {
		return ""
	}
	return line(fmt.Sprintf("%s:%d", r.File, r.Start.Line), nameText)
}

// newServices joins the services of the model with their units, by address. A service that is
// switched off has no unit, one that was taken out of the configuration only has its unit.
func newServices(in *Input, l limits) []serviceDoc {
	index := map[addr.Object]int{}
	var docs []serviceDoc
	add := func(a addr.Object) *serviceDoc {
		i, ok := index[a]
		if !ok {
			i = len(docs)
			index[a] = i
			docs = append(docs, serviceDoc{Name: nameOf(a), Address: addressText(a), File: fileName("services", nameOf(a), ".md")})
		}
		return &docs[i]
	}
	if in.Model != nil {
		for i := range in.Model.Cloud.Services {
			add(in.Model.Cloud.Services[i].Address).Enabled = in.Model.Cloud.Services[i].Enabled
		}
	}
	for i := range in.Snapshot.Units {
		u := &in.Snapshot.Units[i]
		if u.Class != unit.ClassService && u.Class != unit.ClassInfrastructure || u.Phase == engine.PhaseGone {
			continue
		}
		s := add(u.Address)
		s.Class, s.Phase, s.Reason, s.trail = u.Class, u.Phase, why(u, l), in.trails.units[s.Address]
		s.Enabled = s.Enabled || in.Model == nil
	}
	slices.SortFunc(docs, func(a, b serviceDoc) int {
		return cmp.Or(cmp.Compare(rank(a.Class), rank(b.Class)), cmp.Compare(a.Address, b.Address))
	})
	return docs
}

// rank puts infrastructure before what stands on it.
func rank(c unit.Class) int {
	if c == unit.ClassInfrastructure {
		return 0
	}
	return 1
}

// newNodes does the same for nodes.
func newNodes(in *Input, l limits) []nodeDoc {
	index := map[addr.Object]int{}
	var docs []nodeDoc
	if in.Model != nil {
		for i := range in.Model.Nodes {
			n := &in.Model.Nodes[i]
			index[n.Address] = len(docs)
			docs = append(docs, nodeDoc{
				Name: line(n.Name, nameText), Address: addressText(n.Address), Roles: append([]string{}, lines(n.Roles, nameText)...),
				Profile: line(n.Profile, nameText), Disabled: n.Disabled, File: fileName("nodes", n.Name, ".md"),
			})
		}
	}
	for i := range in.Snapshot.Units {
		u := &in.Snapshot.Units[i]
		if u.Class != unit.ClassNode || u.Phase == engine.PhaseGone {
			continue
		}
		j, ok := index[u.Address]
		if !ok {
			j = len(docs)
			docs = append(docs, nodeDoc{
				Name: nameOf(u.Address), Address: addressText(u.Address), Roles: []string{}, File: fileName("nodes", nameOf(u.Address), ".md"),
			})
		}
		docs[j].Phase, docs[j].Reason, docs[j].trail = u.Phase, why(u, l), in.trails.units[docs[j].Address]
	}
	slices.SortStableFunc(docs, func(a, b nodeDoc) int { return cmp.Compare(a.Address, b.Address) })
	if l.units > 0 {
		return docs // there is no room even for all units
	}
	agents := agentsOf(in)
	for i := range docs {
		docs[i].Agents = agents[docs[i].Address]
	}
	return docs
}

// nameOf is the name of what an address names, and the whole address where the name alone could
// be somebody else's.
func nameOf(a addr.Object) string {
	if a.Module() != (addr.Module{}) || a.Key() != (addr.Key{}) {
		return addressText(a)
	}
	return a.Name()
}

// Why tells in one line, of at most so many characters, why a unit stands as it does, as the report does; "" when
// there is nothing to say.
func Why(u *engine.UnitStatus, most int) string { return cut(why(u, limits{text: most}), most) }

// Line makes one line of a text, of at most so many characters, as reports have it.
func Line(text string, most int) string { return cut(line(text, most), most) }

// why is the reason of a unit's phase, also where that is only that it waits.
func why(u *engine.UnitStatus, l limits) string {
	reason := line(u.Reason, l.text)
	if len(u.Waits) == 0 {
		return reason
	}
	waits := "waits for "
	for i, a := range u.Waits {
		if i == 3 && len(u.Waits) > 4 {
			waits += fmt.Sprintf(" and %d more", len(u.Waits)-i)
			break
		}
		if i > 0 {
			waits += ", "
		}
		waits += addressText(a)
	}
	if reason != "" {
		return reason + "; " + waits
	}
	return waits
}
