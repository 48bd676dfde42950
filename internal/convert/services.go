package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setting is an attribute of a block, with what led to it.
type setting struct {
	name string
	expr string // HCL
	from field
	comments
}

type settings []setting

func (s settings) get(name string) *setting {
	for i := range s {
		if s[i].name == name {
			return &s[i]
		}
	}
	return nil
}

// set gives an attribute a value. One that it has already must be the same.
func (c *converter) set(to *settings, name, expr string, from field) {
	before := to.get(name)
	switch {
	case before == nil:
		*to = append(*to, setting{name, expr, from, from.comments})
	case before.expr != expr:
		c.lost(finding{
			code: codeConflict, at: from.at, summary: "contradiction", hidden: from.hidden || before.from.hidden,
			detail: fmt.Sprintf("%s contradicts %s at %s, which stays", from.key, before.from.key, place(before.from.at)),
			hint:   "keep one of them",
		})
	}
}

// service is what was read about a service.
type service struct {
	name     string
	from     field // its key; zero for one that the YAML does not name
	settings settings
	comments
}

// off tells whether the service is not to run.
func (s *service) off() bool {
	enabled := s.settings.get("enabled")
	return enabled != nil && enabled.expr == "false"
}

// templates are the services that an OpenStackControlPlane has, and whether each of them runs when
// nothing is said about it.
func templates() map[string]bool {
	return map[string]bool{
		"mariadb": true, "rabbitmq": true, "memcached": true, "keystone": true, "glance": true,
		"placement": true, "neutron": true, "nova": true,
		"cinder": false, "heat": false, "horizon": false,
	}
}

// usual are the services that a KupenstackConfiguration deploys unless its profile disables them.
func usual() []string {
	return []string{"keystone", "glance", "placement", "neutron", "nova", "horizon"}
}

// readTemplate reads the settings of a service, in a profile or for the cloud.
func (c *converter) readTemplate(name string, f field, inProfile bool) *service {
	definition, _ := c.definition.Service(name)
	s := &service{name: name, from: f, comments: f.comments}
	switched := func(on bool) func(field) {
		return func(f field) {
			if b, ok := c.bool(f); ok {
				c.set(&s.settings, "enabled", strconv.FormatBool(b == on), f)
			}
		}
	}
	handle := handlers{
		"replicas": func(f field) {
			n, ok := c.replicas(f)
			switch {
			case !ok:
			case !definition.Scalable():
				c.noHome(f, fmt.Sprintf("%s runs %s", name, definition.Runs()), "take the line away; the roles of nodes decide where it runs")
			default:
				c.set(&s.settings, "replicas", strconv.Itoa(n), f)
			}
		},
		"conf": func(f field) {
			if expr, ok := c.conf(f); ok && expr != "" {
				c.set(&s.settings, "conf", expr, f)
			}
		},
	}
	handle["disable"], handle["disabled"], handle["enabled"] = switched(false), switched(false), switched(true)
	if inProfile && name == "keystone" {
		handle["disable"] = func(f field) {
			if off, ok := c.bool(f); ok && off {
				c.noHome(f, "nothing runs without Keystone, and a profile cannot disable it", "take the line away")
			}
		}
		delete(handle, "disabled")
		delete(handle, "enabled")
	}
	if !inProfile {
		c.planeFields(s, handle, definition.Storage)
	}
	c.fields(f.value, name, handle)
	return s
}

// planeFields adds what only the services of an OpenStackControlPlane have.
func (c *converter) planeFields(s *service, handle handlers, storage bool) {
	handle["storageSize"] = func(f field) {
		size, ok := c.checked(f, c.serviceAttribute("storage_size"))
		switch {
		case !ok:
		case !storage:
			c.noHome(f, fmt.Sprintf("%s keeps no data on volumes of its own", s.name), "take the line away")
		default:
			c.set(&s.settings, "storage_size", strconv.Quote(size), f)
		}
	}
	switch s.name {
	case "glance":
		handle["storageType"] = func(f field) {
			if _, ok := c.oneOf(f, "ceph", "pvc", "swift"); ok {
				c.glance = f
			}
		}
	case "neutron":
		handle["mechanism"] = func(f field) {
			if backend, ok := c.checked(f, c.cloudAttribute("network_backend")); ok {
				c.wantNetwork(backend, f)
			}
		}
	case "cinder":
		handle["backends"] = func(f field) {
			c.noHome(f, "the backends of Cinder cannot be converted", "write a backend block for each of them in the service")
		}
	}
}

func (c *converter) noHome(f field, detail, hint string) {
	c.lost(finding{code: codeNoHome, at: f.at, summary: f.key + " has no home", detail: detail, hint: hint, hidden: f.hidden})
}

func (c *converter) oneOf(f field, allowed ...string) (string, bool) {
	s, ok := c.string(f)
	if !ok || s == "" {
		return "", false
	}
	if !slices.Contains(allowed, s) {
		c.wrong(f, "one of "+strings.Join(allowed, ", "), orElse(nearest(s, allowed), fmt.Sprintf("write, for example: %s: %s", f.key, allowed[0])))
		return "", false
	}
	return s, true
}

// addService adds what was read about a service of the cloud to what is known of it.
func (c *converter) addService(s *service) {
	for _, before := range c.services {
		if before.name == s.name {
			for _, more := range s.settings {
				c.set(&before.settings, more.name, more.expr, more.from)
			}
			return
		}
	}
	c.services = append(c.services, s)
}
