package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// configuration is a KupenstackConfiguration.
type configuration struct {
	document *document
	fallback reference
}

// reference names a profile; its name is "" when none is named.
type reference struct {
	namespace, name string
	at              diag.Range
	comments
}

// profile is an OpenStackCloudConfigurationProfile.
type profile struct {
	namespace, name string
	label           string // in HCL
	at              diag.Range
	from            reference
	services        []*service
	wide            bool // it holds for the whole cloud
	by              *node
	placeholder     bool
	comments
}

// node is what a KupenstackConfiguration and an OpenstackNode say of one node.
type node struct {
	name     string
	at       diag.Range
	settings settings
	profile  reference
	comments
}

func (c *converter) readConfiguration(d *document) {
	if c.config != nil {
		c.second(d, c.config.document)
		return
	}
	c.config = &configuration{document: d}
	c.fields(d.spec, "spec of KupenstackConfiguration", handlers{
		"defaultProfile": func(f field) { c.config.fallback = c.profileOf(f, d.namespace) },
		"nodes": func(f field) {
			if f.value.form != list {
				c.wrong(f, "a list of nodes", "write each as - name: …")
				return
			}
			for _, item := range f.value.items {
				c.listed(item)
			}
		},
	})
}

// second notes that a cloud is described for the second time.
func (c *converter) second(d, first *document) {
	c.lost(finding{
		code: codeDuplicate, at: d.at, summary: "second cloud",
		detail: fmt.Sprintf("a configuration describes one cloud, and %s at %s describes one already", first.name, place(first.at)),
		hint:   "convert each cloud by itself, into a directory of its own",
	})
}

// profileOf reads which profile is meant: a mapping of name and namespace, or a name, with the
// namespace before it or without.
func (c *converter) profileOf(f field, namespace string) reference {
	r := reference{namespace: namespace, at: f.at, comments: f.comments}
	text := func(to *string) func(field) {
		return func(f field) {
			s, ok := c.string(f)
			if ok && s != "" && schema.FormatDNSName.Check(s) != nil {
				c.wrong(f, "a name of Kubernetes: lower case letters, digits, dashes and dots", "write the name that the profile has in its metadata")
			} else if ok && s != "" {
				*to = s
			}
		}
	}
	if f.value.form == mapping {
		c.fields(f.value, f.key, handlers{"name": text(&r.name), "namespace": text(&r.namespace)})
		return r
	}
	s, ok := c.string(f)
	if before, after, both := strings.Cut(s, "/"); ok && both {
		r.namespace, s = before, after
	}
	if ok {
		part := *f.value
		part.text = s
		f.value = &part
		text(&r.name)(f)
	}
	return r
}

// listed reads a node of a KupenstackConfiguration.
func (c *converter) listed(v *value) {
	name := v.get("name")
	if v.form != mapping || name == nil || name.form != scalar || schema.FormatDNSName.Check(name.text) != nil {
		c.lost(finding{code: codeValue, at: v.at, summary: "node without a name", detail: "a node is a mapping with the name that it has in Kubernetes", hint: "write - name: …"})
		return
	}
	if before := c.node(name.text); before != nil && len(before.settings) > 0 {
		c.lost(finding{code: codeDuplicate, at: v.at, summary: "node is there twice", detail: fmt.Sprintf("%s is at %s already", name.text, place(before.at)), hint: "keep one of them"})
		return
	}
	n := c.ensureNode(name.text, name.at)
	n.head = append(n.head, v.head...)
	disabled := func(on bool) func(field) {
		return func(f field) {
			if b, ok := c.bool(f); ok {
				c.set(&n.settings, "disabled", strconv.FormatBool(b == on), f)
			}
		}
	}
	c.fields(v, "a node", handlers{
		"name": func(f field) {
			n.head = append(n.head, f.head...)
			n.line = append(n.line, f.line...)
		},
		"type":     func(f field) { c.roles(n, f) },
		"disabled": disabled(true), "disable": disabled(true), "enabled": disabled(false),
	})
}

func (c *converter) node(name string) *node {
	i := slices.IndexFunc(c.nodeList, func(n *node) bool { return n.name == name })
	if i < 0 {
		return nil
	}
	return c.nodeList[i]
}

func (c *converter) ensureNode(name string, at diag.Range) *node {
	n := c.node(name)
	if n == nil {
		n = &node{name: name, at: at}
		c.nodeList = append(c.nodeList, n)
	}
	return n
}

// roles reads the type of a node: roles with commas between them, or a list.
func (c *converter) roles(n *node, f field) {
	var words []string
	if f.value.form == list {
		for _, item := range f.value.items {
			words = append(words, item.text)
		}
	} else if s, ok := c.string(f); ok {
		words = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
	} else {
		return
	}
	var roles []string
	for _, word := range words {
		role := strings.ToLower(strings.TrimSpace(word))
		if role == "control" || role == "controller" {
			role = schema.RoleControlPlane
		}
		if !slices.Contains(schema.Roles(), role) {
			c.wrong(f, fmt.Sprintf("control, compute or network, with commas between them, and one is %s", strconv.Quote(shorten(role))), didYouMean(role, append(schema.Roles(), "control")))
			continue // the others are kept
		}
		if role = strconv.Quote(role); !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	if len(roles) > 0 {
		c.set(&n.settings, "roles", "["+strings.Join(roles, ", ")+"]", f)
	}
}

func (c *converter) readNode(d *document) {
	n := c.ensureNode(d.name, d.at)
	n.head = append(n.head, d.head...)
	c.fields(d.spec, "spec of OpenstackNode", handlers{
		"openstackCloudConfigurationProfileRef": func(f field) { n.profile = c.profileOf(f, "") },
	})
}

func (c *converter) readProfile(d *document) {
	p := &profile{namespace: d.namespace, name: d.name, at: d.at, comments: d.comments}
	c.profiles = append(c.profiles, p)
	known := handlers{"from": func(f field) { p.from = c.profileOf(f, d.namespace) }}
	names := c.definition.Block("cloud").Nested("service").Labels[0].Allowed
	for _, name := range names {
		known[name] = func(f field) { p.services = append(p.services, c.readTemplate(name, f, true)) }
	}
	c.fields(d.spec, "spec of OpenStackCloudConfigurationProfile", known)
}
