package convert

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// nameProfiles gives each profile its label. Profiles of this language have no namespaces: they
// become part of the label where a name alone is not enough.
func (c *converter) nameProfiles() {
	count := map[string]int{}
	for _, p := range c.profiles {
		count[p.name]++
	}
	used := map[string]bool{}
	for _, p := range c.profiles {
		p.label = label(p.name)
		if count[p.name] > 1 && p.namespace != "" {
			p.label = label(p.namespace + "__" + p.name)
		}
		for used[p.label] {
			p.label += "_"
		}
		used[p.label] = true
	}
}

// profileFor returns the profile that a reference means; nil when it means none. One that is not
// among the documents becomes an empty one, so that the result loads.
func (c *converter) profileFor(r reference) *profile {
	if r.name == "" {
		return nil
	}
	var found *profile
	for _, p := range c.profiles {
		if p.name != r.name {
			continue
		}
		if p.namespace == r.namespace {
			return p
		}
		// Which namespace is meant where none is written depends on who applied it.
		if (p.namespace == "" || r.namespace == "") && found == nil {
			found = p
		}
	}
	if found != nil {
		return found
	}
	c.warn(finding{
		code: codeMissing, at: r.at, summary: "profile is not among the documents",
		detail: fmt.Sprintf("there is no OpenStackCloudConfigurationProfile %q, so an empty profile stands for it", r.name),
		hint:   "convert the file that has it together with this one",
	})
	p := &profile{
		namespace: r.namespace, name: r.name, at: r.at, placeholder: true,
		comments: comments{head: []string{"Not among the documents that were converted: its settings are missing."}},
	}
	c.profiles = append(c.profiles, p)
	return p
}

// links are the profiles that others name, found once.
type links struct {
	fallback *profile
	from     map[*profile]*profile
	nodes    map[*node]*profile
}

func (c *converter) link() links {
	l := links{from: map[*profile]*profile{}, nodes: map[*node]*profile{}}
	if c.config != nil {
		l.fallback = c.profileFor(c.config.fallback)
	}
	for _, n := range c.nodeList {
		if p := c.profileFor(n.profile); p != nil && p != l.fallback {
			l.nodes[n] = p
		}
	}
	for _, p := range slices.Clone(c.profiles) {
		below := c.profileFor(p.from)
		if below == nil {
			continue
		}
		if slices.Contains(l.chain(below), p) {
			c.lost(finding{code: codeConflict, at: p.from.at, summary: "profiles in a circle", detail: fmt.Sprintf("%s builds on itself; its from is left out", p.name), hint: "take one of the references away"})
			continue
		}
		l.from[p] = below
	}
	c.nameProfiles()
	for _, p := range l.chain(l.fallback) {
		p.wide = true
	}
	for _, n := range c.nodeList {
		for _, p := range l.chain(l.nodes[n]) {
			if p.by == nil {
				p.by = n
			}
		}
	}
	return l
}

// chain returns a profile and those it builds on, the nearest first.
func (l *links) chain(p *profile) []*profile {
	var chain []*profile
	for ; p != nil; p = l.from[p] {
		chain = append(chain, p)
	}
	return chain
}

// profileBlocks makes a block of each profile. What holds for the whole cloud alone is taken out of
// profiles of single nodes.
func (c *converter) profileBlocks(l links) []*block {
	var blocks []*block
	slots := c.slots(l)
	for _, p := range c.profiles {
		b := &block{header: fmt.Sprintf("profile %q", p.label), comments: p.comments}
		if below := l.from[p]; below != nil {
			b.attributes = append(b.attributes, attribute{"from", "profile." + below.label, p.from.comments})
		}
		if slot := slots[p]; slot > 0 {
			b.attributes = append(b.attributes, attribute{name: "slot", expr: strconv.Itoa(slot)})
		}
		for _, s := range p.services {
			inner := &block{header: fmt.Sprintf("service %q", s.name), comments: s.comments}
			for _, set := range s.settings {
				if c.inProfile(p, s, set) {
					inner.attributes = append(inner.attributes, attribute{set.name, set.expr, set.comments})
				}
			}
			if len(inner.attributes) > 0 {
				b.blocks = append(b.blocks, inner)
			}
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// slots numbers the profiles of single nodes that have settings for them: by these numbers charts choose the nodes.
// Those beyond the last slot get none, and whoever looks at the result is told.
func (c *converter) slots(l links) map[*profile]int {
	used := map[*profile]bool{}
	for _, p := range l.nodes {
		used[p] = slices.ContainsFunc(l.chain(p), func(p *profile) bool { return !p.wide && len(p.services) > 0 })
	}
	slots := map[*profile]int{}
	for _, p := range c.profiles {
		if used[p] && len(slots) < schema.MaxSlot {
			slots[p] = len(slots) + 1
		}
	}
	return slots
}

// inProfile tells whether a setting is written in its profile.
func (c *converter) inProfile(p *profile, s *service, set setting) bool {
	switch {
	case set.name == "enabled":
		if set.expr == "false" && !p.wide {
			c.noHome(set.from, fmt.Sprintf("%s runs in the cloud or it does not, and the profile %s is not the default profile", s.name, p.name),
				fmt.Sprintf("write service %q { enabled = false } in the cloud to have it nowhere; the roles of nodes decide where it runs", s.name))
		}
		return false
	case set.name == "replicas" && !p.wide && p.by != nil:
		c.noHome(set.from, fmt.Sprintf("replicas of %s hold for the whole cloud, and the profile %s is that of single nodes, such as %s", s.name, p.name, p.by.name),
			fmt.Sprintf("write them in service %q of the cloud", s.name))
		return false
	}
	return true
}
