package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Where OpenStack-Helm's charts are published. It is written for people to look at, as no document
// says where theirs come from.
const chartRepository = "https://tarballs.opendev.org/openstack/openstack-helm"

// finish makes files of what was gathered.
func (c *converter) finish() []File {
	l := c.link()
	var files []File
	for _, part := range []struct {
		name   string
		blocks []*block
	}{
		{"cloud.hcl", c.cloudBlocks(l)},
		{"profiles.hcl", c.profileBlocks(l)},
		{"nodes.hcl", c.nodeBlocks(l)},
	} {
		if len(part.blocks) == 0 {
			continue
		}
		content := render(part.blocks)
		if len(content) > c.limits.OutputBytes {
			c.unreadable(finding{code: codeLimit, summary: "too much for one file", detail: fmt.Sprintf("%s would have more than %d bytes, and could not be read again", part.name, c.limits.OutputBytes), hint: "convert the documents in several runs"})
		}
		files = append(files, File{part.name, content})
	}
	return files
}

// cloudBlocks makes the block of the cloud, when the documents speak of one.
func (c *converter) cloudBlocks(l links) []*block {
	from, comments := c.origin()
	if from == nil && len(c.services) == 0 {
		return nil
	}
	b := &block{comments: comments}
	name := "openstack"
	if from != nil {
		name = strings.ReplaceAll(from.name, ".", "-")
		if schema.FormatDNSLabel.Check(name) != nil {
			name = "openstack"
		}
	}
	switch {
	case from == nil || name != from.name:
		b.head = append(b.head, "The name is not in the YAML. Choose one before the cloud is deployed: it stays.")
	case c.plane == nil:
		b.head = append(b.head, "The name is that of the KupenstackConfiguration. Choose one before the cloud is deployed: it stays.")
	}
	b.header = fmt.Sprintf("cloud %q", name)
	network := c.networkBackend()
	services := c.cloudServices(l, network)
	if slices.ContainsFunc(services, func(s *service) bool { return !s.off() }) {
		c.assume(b)
	}
	c.assumeStorage(b, services)
	if c.secured != nil && len(services) > 0 { // else there is nothing to secure
		b.blocks = append(b.blocks, c.secured)
	}
	for _, set := range c.cloud {
		b.attributes = append(b.attributes, attribute{set.name, set.expr, set.comments})
	}
	if l.fallback != nil {
		b.attributes = append(b.attributes, attribute{"profile", "profile." + l.fallback.label, c.config.fallback.comments})
	}
	order := c.definition.Block("cloud").AttributeNames()
	slices.SortStableFunc(b.attributes, func(x, y attribute) int {
		return cmp.Compare(slices.Index(order, x.name), slices.Index(order, y.name))
	})
	for _, s := range services {
		b.blocks = append(b.blocks, c.serviceBlock(s))
	}
	return []*block{b}
}

// origin is the document that gives the cloud its name, with the comments of all that describe it.
func (c *converter) origin() (*document, comments) {
	var from *document
	var all comments
	if c.config != nil {
		from = c.config.document
		all.head = append(all.head, from.head...)
	}
	if c.plane != nil {
		from = c.plane.document
		all.head = append(all.head, from.head...)
	}
	return from, all
}

// networkBackend is the one that is wanted. Where an OpenStackControlPlane does not say it, it is
// OVN there, which is not what it is in this language.
func (c *converter) networkBackend() string {
	if set := c.cloud.get("network_backend"); set != nil {
		backend, _ := strconv.Unquote(set.expr)
		return backend
	}
	if c.plane != nil {
		c.cloud = append(c.cloud, setting{name: "network_backend", expr: strconv.Quote(networkOVN), comments: comments{line: []string{"the default of an OpenStackControlPlane"}}})
		return networkOVN
	}
	backend := c.cloudAttribute("network_backend").Default
	return backend.AsString()
}

// cloudServices returns the services of the cloud in the order of the schema: those that are
// written, those that are there unless they are switched off, and what all of them need.
func (c *converter) cloudServices(l links, network string) []*service {
	c.glanceStorage()
	implied := func(name, why string) {
		if !slices.ContainsFunc(c.services, func(s *service) bool { return s.name == name }) {
			c.services = append(c.services, &service{name: name, comments: comments{line: []string{why}}})
		}
	}
	switch {
	case c.plane != nil:
		for name, always := range templates() {
			if always {
				implied(name, "part of every OpenStackControlPlane")
			}
		}
	case c.config != nil:
		for _, name := range usual() {
			implied(name, "deployed unless the default profile disables it")
		}
	}
	c.switchOff(l)
	for done := 0; done < len(c.services); done++ {
		if s := c.services[done]; !s.off() {
			for _, name := range compose.Needs(s.name, network) {
				implied(name, "not in the YAML: other services need it")
			}
		}
	}
	order := c.definition.Block("cloud").Nested("service").Labels[0].Allowed
	slices.SortStableFunc(c.services, func(a, b *service) int {
		return cmp.Compare(slices.Index(order, a.name), slices.Index(order, b.name))
	})
	return c.services
}

// switchOff takes what the default profile says about running a service to the cloud. Of several
// profiles the nearest counts.
func (c *converter) switchOff(l links) {
	decided := map[string]bool{}
	for _, p := range l.chain(l.fallback) {
		for _, s := range p.services {
			enabled := s.settings.get("enabled")
			if enabled == nil || decided[s.name] {
				continue
			}
			decided[s.name] = true
			if i := slices.IndexFunc(c.services, func(known *service) bool { return known.name == s.name }); i >= 0 {
				c.services[i].settings = slices.DeleteFunc(c.services[i].settings, func(old setting) bool { return old.name == "enabled" })
				c.services[i].settings = append(c.services[i].settings, *enabled)
				if c.services[i].from.value == nil {
					c.services[i].comments = comments{} // why it would have been deployed
				}
				continue
			}
			c.services = append(c.services, &service{name: s.name, settings: settings{*enabled}})
		}
	}
}

// glanceStorage says where images are kept when it is not what follows from the cloud's storage.
func (c *converter) glanceStorage() {
	if c.glance.value == nil {
		return
	}
	storage, follows := c.glance.value.text, "pvc"
	if storage == "ceph" {
		storage = "rbd" // as Glance's chart calls it
	}
	if backend := c.cloud.get("storage_backend"); backend != nil && backend.expr == `"ceph"` {
		follows = "rbd"
	}
	if storage == follows {
		return
	}
	for _, s := range c.services {
		if s.name == "glance" {
			c.set(&s.settings, "values", fmt.Sprintf("{ storage = %q }", storage), c.glance)
		}
	}
}

func (c *converter) serviceBlock(s *service) *block {
	b := &block{header: fmt.Sprintf("service %q", s.name), comments: s.comments}
	for _, set := range s.settings {
		if set.name != "enabled" || set.expr != "true" {
			b.attributes = append(b.attributes, attribute{set.name, set.expr, set.comments})
		}
	}
	return b
}

// assume writes what no document says and every cloud needs.
func (c *converter) assume(b *block) {
	releases := compose.Releases()
	newest := releases[len(releases)-1]
	c.warn(finding{
		code: codeAssumed, at: c.firstPlace(), summary: "release and charts are not in the YAML",
		detail: fmt.Sprintf("the newest release of OpenStack, %s, and the charts that OpenStack-Helm publishes are written into the cloud", newest),
		hint:   fmt.Sprintf("look at both before the cloud is deployed; the releases are %s", strings.Join(releases, ", ")),
	})
	b.attributes = append(b.attributes, attribute{"release", strconv.Quote(newest), comments{line: []string{"not in the YAML; one of " + strings.Join(releases, ", ")}}})
	b.blocks = append(b.blocks, &block{
		header: "charts", comments: comments{head: []string{"Not in the YAML: where the charts come from. A directory in this repository will do, too."}},
		attributes: []attribute{{name: "repository", expr: strconv.Quote(chartRepository)}, {name: "version", expr: strconv.Quote("~> " + newest)}},
	})
}

// assumeStorage says where services keep what they store when no document does: where nothing else changes by
// it.
func (c *converter) assumeStorage(b *block, services []*service) {
	if c.cloud.get("storage_backend") != nil {
		return
	}
	for _, s := range services {
		if known, _ := c.definition.Service(s.name); !known.Stores || s.off() {
			continue
		}
		c.warn(finding{
			code: codeAssumed, at: s.from.at, summary: "the storage is not in the YAML",
			detail: fmt.Sprintf("%s needs a storage_backend, so lvm is written into the cloud", s.name),
			hint:   "look at it before the cloud is deployed, as it stays then: ceph for a cluster that all nodes reach, lvm for the nodes' own disks",
		})
		b.attributes = append(b.attributes, attribute{"storage_backend", strconv.Quote("lvm"), comments{line: []string{"not in the YAML; ceph or lvm"}}})
		return
	}
}

// firstPlace is where the cloud is described.
func (c *converter) firstPlace() diag.Range {
	if from, _ := c.origin(); from != nil {
		return from.at
	}
	for _, s := range c.services {
		if s.from.at.File != "" {
			return s.from.at
		}
	}
	return diag.Range{}
}

// nodeBlocks makes a block of each node.
func (c *converter) nodeBlocks(l links) []*block {
	var blocks []*block
	var without *node
	network := false
	for _, n := range c.nodeList {
		b := &block{header: fmt.Sprintf("node %q", label(n.name)), comments: n.comments}
		if label(n.name) != n.name {
			b.attributes = append(b.attributes, attribute{name: "name", expr: strconv.Quote(n.name)})
		}
		for _, set := range n.settings {
			if set.name != "disabled" || set.expr != "false" {
				b.attributes = append(b.attributes, attribute{set.name, set.expr, set.comments})
			}
		}
		if p := l.nodes[n]; p != nil {
			b.attributes = append(b.attributes, attribute{"profile", "profile." + p.label, n.profile.comments})
		}
		blocks = append(blocks, b)
		roles, disabled := n.settings.get("roles"), n.settings.get("disabled")
		if roles == nil && without == nil && (disabled == nil || disabled.expr == "false") {
			without = n
		}
		network = network || roles != nil && strings.Contains(roles.expr, strconv.Quote(schema.RoleNetwork))
	}
	if without != nil {
		c.warn(finding{
			code: codeRoles, at: without.at, summary: "node without roles", detail: fmt.Sprintf("nothing runs on a node without roles, such as %s; there may be more of them", without.name),
			hint: "write roles in its block: " + strings.Join(schema.Roles(), ", "),
		})
	} else if len(c.nodeList) > 0 && !network {
		c.warn(finding{
			code: codeRoles, at: c.nodeList[0].at, summary: "no node has the role network",
			detail: "routers and DHCP servers of networks run on nodes with the role network, and none of the nodes has it", hint: `add "network" to the roles of a node, where the control plane runs for example`,
		})
	}
	return blocks
}
