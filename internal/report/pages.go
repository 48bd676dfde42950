package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// How long configuration on pages may be.
const (
	configText = 50_000  // characters of one piece
	nodeText   = 8 << 20 // bytes on the pages of all nodes
)

// index finds units of a document by their addresses.
type index struct {
	*document
	units map[string]*unitDoc
	users map[addr.Object][]string // by what they need
}

func indexOf(d *document) *index {
	x := &index{document: d, units: make(map[string]*unitDoc, len(d.Units)), users: map[addr.Object][]string{}}
	for i := range d.Units {
		u := &d.Units[i]
		if x.units[u.Address] == nil {
			x.units[u.Address] = u
		}
		seen := map[addr.Object]bool{}
		for _, e := range u.status.Edges {
			if !seen[e.To] {
				seen[e.To] = true
				x.users[e.To] = append(x.users[e.To], u.Address)
			}
		}
	}
	return x
}

// servicePages adds a page for each service.
func servicePages(files map[string][]byte, in *Input, d *document, x *index) {
	for i := range d.Services {
		s := &d.Services[i]
		var p page
		p.line("# Service %s", md(cut(s.Name, 120)))
		if s.Phase == "" {
			state := "There is nothing of it yet."
			if !s.Enabled {
				state = "It is disabled."
			}
			p.line("%s", state)
		}
		p.unit(x, s.Address)
		if in.Model != nil {
			for j := range in.Model.Cloud.Services {
				if m := &in.Model.Cloud.Services[j]; addressText(m.Address) == s.Address {
					p.settings(&in.Model.Cloud, m)
				}
			}
		}
		p.line("[All of the cloud](../%s)", FileReadme)
		files[s.File] = p.bytes()
	}
}

// unit adds what is known of a unit.
func (p *page) unit(x *index, address string) {
	u := x.units[address]
	if u == nil {
		return
	}
	rows := [][]string{{"Address", name(u.Address)}, {"Phase", string(u.Phase)}}
	add := func(title, text string) {
		if text != "" {
			rows = append(rows, []string{title, text})
		}
	}
	add("Why", md(u.Reason))
	add("Helm release", string(u.Release))
	add("Waits for", several(u.Waits))
	add("Because of", several(u.Causes))
	if u.Action.Changes() {
		add("To be done", string(u.Action))
	}
	add("Cost", md(u.Cost))
	var did []string
	for _, a := range u.Did {
		did = append(did, string(a))
	}
	add("Done under the commit in force", strings.Join(did, ", "))
	p.trail(x.document, u, add)
	add("Identity", optional(u.ID))
	add("Written in", optional(u.At))
	var needs []string
	for _, e := range u.Needs {
		needs = append(needs, e.To)
	}
	add("Needs", several(needs))
	add("Needed by", several(x.users[u.status.Address]))
	p.table(maxRows, rows, "", "")
	if len(u.Details) > 0 {
		p.line("## Conditions")
		p.text(fence("text", strings.Join(u.Details, "\n")))
	}
	title := "## Changes to come"
	if u.Drift {
		title = "## Drift"
	}
	p.fields(title, u.Fields)
	p.fields("## Drift that was repaired under the commit in force", u.Healed)
}

// trail adds with which commits a unit worked. A page of a unit that is well names none, or each
// commit would change each page.
func (*page) trail(d *document, u *unitDoc, add func(title, text string)) {
	t := u.trail
	if u.Phase == engine.PhaseReady && t == (trail{}) && u.status.Decided && d.Applied != nil {
		add("Last good commit", "the one in force")
		return
	}
	named := func(hash string) string {
		if hash == "" {
			return ""
		}
		if d.Applied != nil && d.Applied.Hash == hash {
			return commit(d.Applied) + ", the one in force"
		}
		if i := slices.IndexFunc(d.Commits, func(c commitDoc) bool { return c.Hash == hash }); i >= 0 {
			return commit(&d.Commits[i])
		}
		return commit(&commitDoc{Hash: hash})
	}
	add("Last good commit", named(t.LastGood))
	title := "Not ready since"
	if u.Phase == engine.PhaseFailed || u.Phase == engine.PhaseBlocked || len(u.Causes) > 0 {
		title = "First bad commit"
	}
	add(title, named(t.FirstBad))
}

// optional is a name as code, or nothing.
func optional(s string) string {
	if s == "" {
		return ""
	}
	return name(s)
}

// fields adds differences one by one.
func (p *page) fields(title string, list []unit.Field) {
	var rows [][]string
	for _, f := range list {
		path := "all of it"
		if f.Path != "" {
			path = name(f.Path)
		}
		rows = append(rows, []string{path, cell(f.After), cell(f.Before)})
	}
	if len(rows) > 0 {
		p.line("%s", title)
	}
	p.table(maxRows, rows, "Field", "Configuration", "Found")
}

// settings adds what the configuration says of a service, and where.
func (p *page) settings(c *model.Cloud, s *model.Service) {
	var rows [][]string
	add := func(title, text string) {
		if text != "" {
			rows = append(rows, []string{title, md(line(text, cellText))})
		}
	}
	add("Enabled", fmt.Sprint(s.Enabled))
	if c.Charts != nil {
		add("Charts from", c.Charts.Repository)
		add("Version of the charts", c.Charts.Version)
	}
	add("Version", s.Version)
	for _, row := range serviceRows(c, s) {
		add(row[0], row[1])
	}
	var parts []string
	for part, n := range s.Replicas {
		parts = append(parts, fmt.Sprintf("%s: %d", part, n))
	}
	slices.Sort(parts)
	add("Replicas", strings.Join(parts, ", "))
	for _, row := range podRows(&s.Pods) {
		add(row[0], row[1])
	}
	p.line("## Settings")
	p.table(maxRows, rows, "", "")
	p.value("### Configuration of the service", s.Conf)
	p.value("### Values of the chart", s.Values)
	sources := slices.Clone(s.Settings)
	for i := range s.Backends {
		b := &s.Backends[i]
		p.value("### Options of the backend "+md(line(b.Name, nameText)), b.Options)
		sources = append(sources, model.Setting{Name: "backend." + b.Name, Layer: "cloud", Range: b.Range})
	}
	p.sources("### Where this is written", sources)
}

// value adds a value as JSON, when there is anything in it. Sensitive parts are not shown.
func (p *page) value(title string, v cty.Value) {
	clean := visibleValue(beginning(unit.Visible(v), configText), cellText)
	if m, ok := clean.(map[string]any); clean == nil || ok && len(m) == 0 {
		return
	}
	text, err := json.MarshalIndent(clean, "", "  ")
	if err != nil {
		return // a number that JSON does not have; there is nothing to show
	}
	p.line("%s", title)
	p.text(fence("json", cut(string(text), configText)))
}

// sources adds what led to settings, the later over the earlier.
func (p *page) sources(title string, settings []model.Setting) {
	var rows [][]string
	for _, s := range settings {
		rows = append(rows, []string{name(line(s.Name, nameText)), name(line(s.Layer, nameText)), optional(place(s.Range))})
	}
	if len(rows) > 0 {
		p.line("%s", title)
	}
	p.table(maxRows, rows, "Setting", "Layer", "Written in")
}

// nodePages adds a page for each node.
func nodePages(files map[string][]byte, in *Input, d *document, x *index) {
	written := configurations{texts: map[string]string{}}
	byAddress := map[string]*model.Node{}
	if in.Model != nil {
		written.left = nodeText / max(1, len(in.Model.Nodes))
		for i := range in.Model.Nodes {
			n := &in.Model.Nodes[i]
			byAddress[addressText(n.Address)] = n
		}
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		var p page
		p.line("# Node %s", md(cut(n.Name, 120)))
		profile := n.Profile
		if profile == "" && d.Cloud != nil {
			profile = d.Cloud.Profile
		}
		state := "no"
		if n.Disabled {
			state = "yes"
		}
		p.table(maxRows, [][]string{
			{"Roles", md(cut(strings.Join(n.Roles, ", "), cellText))}, {"Profile", md(profile)}, {"Disabled", state},
		}, "", "")
		p.unit(x, n.Address)
		p.agents(n.Agents)
		if m := byAddress[n.Address]; m != nil {
			p.text(written.of(m))
		}
		p.line("[All of the cloud](../%s)", FileReadme)
		files[n.File] = p.bytes()
	}
}

// configurations are what the pages of nodes say of their configuration. Nodes with the same profile
// say the same.
type configurations struct {
	texts map[string]string // by profile
	left  int               // bytes that each may take
}

// of returns the effective configuration of the services on a node where it is the node's own.
func (c *configurations) of(n *model.Node) string {
	if text, known := c.texts[n.Profile]; known {
		return text
	}
	var p page
	p.line("## Configuration")
	if len(n.Services) == 0 {
		p.line("Services are configured here as in the whole cloud.")
	} else {
		p.line("Services that are not listed are configured here as in the whole cloud.")
	}
	for i := range n.Services {
		s := &n.Services[i]
		var part page
		part.value("### "+md(line(s.Name, nameText)), s.Conf)
		part.sources("#### Where this is written", s.Settings)
		if p.b.Len()+part.b.Len() > c.left {
			p.line("The configuration of %d more services is too large for the pages of so many nodes.", len(n.Services)-i)
			break
		}
		if part.b.Len() > 0 {
			p.text(part.b.String())
		}
	}
	text := p.b.String()
	c.texts[n.Profile] = text
	return text
}
