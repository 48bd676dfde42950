package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// needed tells which services are needed and not deployed, those among them that the missing ones need
// in turn, so that one run tells everything that is to be written.
func (c *composer) needed() {
	users := map[string][]string{} // by the service that is missing
	queue := []string{}
	for i := range c.m.Cloud.Services {
		if s := &c.m.Cloud.Services[i]; s.Enabled {
			queue = append(queue, s.Name)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, n := range c.needsOf(queue[0]) {
			if n.spared || c.deployed(n.service) {
				continue
			}
			if users[n.service] == nil && c.m.Service(n.service) == nil {
				queue = append(queue, n.service)
			}
			users[n.service] = append(users[n.service], queue[0])
		}
	}
	var absent []string
	for _, name := range slices.Sorted(maps.Keys(users)) {
		slices.Sort(users[name])
		users[name] = slices.Compact(users[name]) // a service may need another in two ways
		if s := c.m.Service(name); s != nil {
			c.disabled(s, users[name])
			continue
		}
		absent = append(absent, name)
	}
	if len(absent) > 0 {
		c.absent(absent, users)
	}
}

// disabled tells that services need one that is switched off.
func (c *composer) disabled(s *model.Service, users []string) {
	by := c.user(users)
	hint := fmt.Sprintf("service %q is there, but has enabled = false", s.Name)
	if at := c.lastOrigin(s, "enabled").where; at.File != "" {
		hint += fmt.Sprintf(", at %s:%d", at.File, at.Start.Line)
	}
	c.fail(codeMissing, by.Range, by.Address, "a service is missing", fmt.Sprintf("%s %s, which the cloud does not deploy", needing(users), s.Name), hint)
}

// absent tells that the cloud has no blocks for services that others need: all of them at once, as they
// are written at once.
func (c *composer) absent(missing []string, users map[string][]string) {
	var all, lines, blocks []string
	for _, name := range missing {
		all = append(all, users[name]...)
		lines = append(lines, fmt.Sprintf("%s, which %s", name, needing(users[name])))
		blocks = append(blocks, fmt.Sprintf("service %q {}", name))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	detail := "the cloud does not deploy\n" + strings.Join(lines, "\n")
	if len(all) == 1 {
		detail = fmt.Sprintf("%s %s, which the cloud does not deploy", needing(all), list(missing))
	}
	by, summary := c.user(all), "a service is missing"
	if len(missing) > 1 {
		summary = "services are missing"
	}
	c.fail(codeMissing, by.Range, by.Address, summary, detail, "write beside it: "+strings.Join(blocks, ", "))
}

// user returns the first of some services that the cloud has.
func (c *composer) user(names []string) *model.Service {
	for _, name := range names {
		if s := c.m.Service(name); s != nil {
			return s
		}
	}
	return &model.Service{Range: c.m.Cloud.Range}
}

// needing begins a sentence of who needs something.
func needing(users []string) string {
	if len(users) == 1 {
		return users[0] + " needs"
	}
	return list(users) + " need"
}

// list joins names in a sentence.
func list(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
