package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Quotas reads limits of projects, given by the names that the quota of a project has for them. What it returns is what
// could be read; the error says why the rest is not known. What no service keeps is neither.
type Quotas func(ctx context.Context, limits map[string][]string) (map[string]map[string]unit.Quota, error)

// demand is what a plan takes of the quota of a project.
type demand struct {
	more, less map[string]int64            // by limit: what is created, and what goes
	single     map[string]bool             // limits that hold for each object alone, of which there is no use: the largest counts
	brings     map[string]map[string]int64 // what OpenStack makes besides while there is nothing of a limit, by that
	unsure     map[string]bool             // limits of which something goes, and nobody knows how much, or may tell
	written    map[string]int64            // the limits that the plan sets
	untold     map[string]bool             // those that it sets to what is not known, or sensitive
	secret     bool                        // limits that it does not set were sensitive
	address    addr.Object                 // of the project, zero where the configuration has none
	subject    *diag.Range
}

// Demand is what a plan takes of the quotas of projects that are there, by their ids.
type Demand struct{ projects map[string]*demand }

// Demand tells what the plan takes of quotas, given what it was made of. What waits for the end of a suspension, or is
// held back, takes nothing; a project that the plan itself makes has no use yet, and is not in it. What is sensitive is
// taken for not known.
func (p *Plan) Demand(in Input) *Demand {
	s := p.scales(in)
	d := &Demand{map[string]*demand{}}
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Suspended == "" {
			s.take(d, c)
		}
	}
	maps.DeleteFunc(d.projects, func(_ string, one *demand) bool { return len(one.more) == 0 })
	for i := range p.Changes {
		c := &p.Changes[i]
		if u, one := s.places[c.Address].unit, d.projects[in.Seen(c.Address).ID]; u != nil && one != nil {
			one.of(u, c, s.wanted(c.Address), s.there(c.Address))
		}
	}
	return d
}

// of says which unit the project is, and what quota the plan gives it. One that nothing is done about keeps what it has.
func (d *demand) of(u *unit.Unit, c *Change, want, there known) {
	r, ok := u.Spec.(*unit.Resource)
	if !ok || r.Kind != "project" || r.Lookup && !d.address.IsZero() {
		return
	}
	d.address, d.subject = u.Address, nil
	if u.Range != (diag.Range{}) {
		d.subject = &u.Range
	}
	quota, secret := want.attribute("quota")
	d.secret = d.secret || secret || there.secret("quota")
	if secret || quota == cty.NilVal || !quota.IsKnown() || !quota.Type().IsObjectType() {
		return
	}
	sets := !r.Lookup && c.Action.Changes() && !c.Held() && c.Suspended == "" && !slices.Contains(r.Ignore, "quota")
	limits := known{value: quota}
	for name := range quota.Type().AttributeTypes() {
		v, secret := limits.attribute(name)
		n, ok := limits.number(name)
		switch {
		case secret, sets && v != cty.NilVal && !ok:
			d.untold[name] = true
		case sets && ok:
			d.written[name] = n
		}
	}
}

// take adds what a change takes.
func (s *scales) take(d *Demand, c *Change) {
	if c.Class != unit.ClassResource {
		return
	}
	kind := s.Language.Resource(c.Kind)
	if kind == nil || kind.Quota == nil {
		return
	}
	switch c.Action {
	case unit.ActionCreate, unit.ActionReplace:
		if c.Action == unit.ActionReplace && !c.CreateFirst {
			s.free(d, kind, c)
		}
		s.create(d, kind, c)
	case unit.ActionUpdate:
		s.change(d, kind, c)
	case unit.ActionDelete:
		s.free(d, kind, c)
	default: // it takes what it took
	}
}

// create adds what a new object takes.
func (s *scales) create(d *Demand, kind *schema.Block, c *Change) {
	want, takes := s.wanted(c.Address), kind.Quota
	in := d.in(projectOf(want, s.Seen(c.Address)))
	if in == nil {
		return
	}
	in.more[takes.Counts]++
	if takes.Brings != nil {
		in.brings[takes.Counts] = takes.Brings
	}
	for limit, n := range s.sizes(kind, want, s.places[c.Address].unit) {
		if takes.Parts[limit] == "" {
			in.more[limit] += n
		}
	}
	for limit, list := range takes.Parts {
		if n := int64(len(takes.First)) + coming(kind, list, want, takes.First); n > 0 {
			in.more[limit] += n
		}
	}
	for limit, lists := range takes.Lone {
		if !slices.ContainsFunc(lists, func(list string) bool { return !want.leavesOut(list) }) {
			in.more[limit]++
		}
	}
	in.largest(takes, want)
	s.share(in, kind, c, want)
}

// change adds what an object takes more or less than it did.
func (s *scales) change(d *Demand, kind *schema.Block, c *Change) {
	there, want, entry := s.there(c.Address), s.wanted(c.Address), s.places[c.Address].entry
	in := d.in(s.Seen(c.Address).Project)
	if in == nil || there.secret("project") || !slices.ContainsFunc(c.Fields, func(f unit.Field) bool { return kind.Quota.Resizes(f.Path) }) {
		return
	}
	was := s.sizes(kind, there, nil)
	for limit, n := range s.sizes(kind, want, s.places[c.Address].unit) {
		switch before, known := was[limit]; {
		case !known:
		case kind.Quota.Parts[limit] != "": // there may be others' among those that are there, which stay
			list := kind.Quota.Parts[limit]
			parts, _ := pieces(kind, list, there)
			if n := coming(kind, list, want, parts); n > 0 {
				in.more[limit] += n
			}
			if kind.Quota.Room {
				in.less[limit] += going(kind, list, want, parts, entry)
			}
		case n > before:
			in.more[limit] += n - before
		default:
			in.less[limit] += before - n
		}
	}
	in.larger(kind.Quota, want, there)
}

// largest takes how large one object becomes, by the limits that hold for each alone.
func (d *demand) largest(takes *schema.Taking, want known) {
	for limit := range takes.Largest {
		if n, ok := want.size(takes, limit); ok {
			d.one(limit, n)
		}
	}
}

// one takes what a limit has to allow for one object, or for one that others refer to.
func (d *demand) one(limit string, n int64) {
	d.more[limit] = max(d.more[limit], n)
	d.single[limit] = true
}

// larger does so for one that is there, where it grows.
func (d *demand) larger(takes *schema.Taking, want, there known) {
	for limit := range takes.Largest {
		n, ok := want.size(takes, limit)
		if before, known := there.size(takes, limit); ok && known && n > before {
			d.one(limit, n)
		}
	}
}

// projectOf is the project that something is created in, "" where that is not known.
func projectOf(want known, state unit.State) string {
	v, secret := want.attribute("project")
	switch {
	case want.value == cty.NilVal || secret:
		return ""
	case v == cty.NilVal:
		return state.Project
	case !v.IsKnown() || v.Type() != cty.String:
		return ""
	default:
		return v.AsString()
	}
}

// free adds what goes with an object.
func (s *scales) free(d *Demand, kind *schema.Block, c *Change) {
	state := s.Seen(c.Address)
	in := d.in(state.Project)
	if in == nil || state.Existence != unit.Present {
		return
	}
	there := s.there(c.Address)
	if there.secret("project") {
		in.unsure[kind.Quota.Counts] = true
		for _, limit := range kind.Quota.Limits() {
			in.unsure[limit] = true
		}
		return
	}
	in.less[kind.Quota.Counts]++
	was := s.sizes(kind, there, nil)
	for _, limit := range kind.Quota.Limits() {
		n, known := was[limit]
		in.less[limit] += n
		in.unsure[limit] = in.unsure[limit] || !known
	}
}

// in is the demand in a project, nil where nobody knows in which.
func (d *Demand) in(project string) *demand {
	if project != "" && d.projects[project] == nil {
		d.projects[project] = &demand{
			more: map[string]int64{}, less: map[string]int64{}, single: map[string]bool{}, unsure: map[string]bool{}, written: map[string]int64{}, untold: map[string]bool{},
			brings: map[string]map[string]int64{},
		}
	}
	return d.projects[project]
}

// Limits are the names of the limits that have to be read, by project.
func (d *Demand) Limits() map[string][]string {
	limits := map[string][]string{}
	for project, one := range d.projects {
		limits[project] = slices.Sorted(maps.Keys(one.more))
	}
	return limits
}

// Exceeded warns of the quotas that the plan takes more of than there is: OpenStack would refuse the rest in the middle of
// it. The error says why some are not known.
func (d *Demand) Exceeded(quotas map[string]map[string]unit.Quota, err error) diag.Diagnostics {
	var found diag.Diagnostics
	for _, project := range slices.Sorted(maps.Keys(d.projects)) {
		one := d.projects[project].besides(quotas[project])
		var over []string
		for _, limit := range slices.Sorted(maps.Keys(one.more)) {
			q, told := quotas[project][limit]
			written, sets := one.written[limit]
			if sets {
				q.Limit = written
			}
			if told && !one.untold[limit] && (sets || !one.secret) && one.exceeds(limit, q) {
				over = append(over, one.text(limit, q))
			}
		}
		if len(over) == 0 {
			continue
		}
		name := "the project " + project
		if !one.address.IsZero() {
			name = one.address.String()
		}
		found = append(found, diag.Diagnostic{
			Severity: diag.Warning, Code: CodeQuota, Subject: one.subject, Address: one.address, Summary: "the plan needs more than a quota allows",
			Detail: fmt.Sprintf("%s: %s", name, strings.Join(over, "; ")),
			Hint:   "raise the quota of the project, or take something out first: OpenStack refuses what is beyond it",
		})
	}
	if err != nil {
		found = append(found, diag.Diagnostic{
			Severity: diag.Warning, Code: CodeQuota, Summary: "it is unknown whether quotas allow the plan", Detail: plain(err.Error()),
			Hint: "OpenStack refuses what is beyond a quota; all else of the plan holds",
		})
	}
	return found
}

// besides adds what OpenStack makes by itself, given what there is.
func (d *demand) besides(there map[string]unit.Quota) *demand {
	all := *d
	all.more = maps.Clone(d.more)
	for counts, brings := range d.brings {
		if q, told := there[counts]; !told || q.Used > 0 {
			continue
		}
		for limit, n := range brings {
			all.more[limit] += n
		}
	}
	return &all
}

// exceeds is the rule: what is taken already, with what is created and without what goes, is more than the limit. Where
// nobody knows how much goes, all that is taken may. Where nothing is created, nothing is refused.
func (d *demand) exceeds(limit string, q unit.Quota) bool {
	more := d.more[limit]
	if d.unsure[limit] {
		return q.Limit >= 0 && more > q.Limit
	}
	return q.Limit >= 0 && more > 0 && q.Used+more-d.less[limit] > q.Limit
}

// text says how far a limit is exceeded.
func (d *demand) text(limit string, q unit.Quota) string {
	name := strings.ReplaceAll(limit, "_", " ")
	if d.single[limit] {
		return fmt.Sprintf("of %s the quota allows %d, and the plan needs %d", name, q.Limit, d.more[limit])
	}
	goes := ""
	if n := d.less[limit]; d.unsure[limit] {
		goes = ", whatever goes"
	} else if n > 0 {
		goes = fmt.Sprintf(" and %d fewer", n)
	}
	if limit == "ram" {
		name = "ram in MiB"
	}
	return fmt.Sprintf("of %s the quota allows %d, %d are in use, and the plan makes %d more%s",
		name, q.Limit, q.Used, d.more[limit], goes)
}
