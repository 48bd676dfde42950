package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The configuration of each node is shown in the cluster, once for each of them, and so are the settings of each
// profile. It is for people, and nothing there depends on it, so what is too large is left out rather than refused.
const (
	shownMost = 256 << 10 // bytes of one object: Kubernetes takes objects of about a megabyte
	shownAll  = 8 << 20   // of all objects of a kind together
	tooLarge  = "(too large to be shown here)"
)

// What the objects of a kind are of, where something in them is too large.
const (
	kindOfNodes    = "OpenstackNode of each of %d nodes"
	kindOfProfiles = "OpenStackCloudConfigurationProfile of each of %d profiles"
)

// shownConf is the configuration of one service, as people see it.
type shownConf struct {
	service string
	value   any
	size    int
}

// nodeConfiguration is the configuration of each service as it holds on one node, for people:
// sensitive parts are masked. Nodes with the same profile share it, and nobody changes it.
func (c *composer) nodeConfiguration(n *model.Node) map[string]any {
	if known, ok := c.configurations[n.Profile]; ok {
		return known
	}
	var parts []shownConf
	for i := range c.m.Cloud.Services {
		s := &c.m.Cloud.Services[i]
		if !s.Enabled {
			continue
		}
		own := slices.IndexFunc(n.Services, func(o model.NodeService) bool { return o.Name == s.Name })
		if own >= 0 {
			parts = append(parts, shownOf(s.Name, n.Services[own].Conf))
			continue
		}
		of, ok := c.shown[s.Name]
		if !ok {
			of = shownOf(s.Name, s.Conf)
			c.shown[s.Name] = of
		}
		parts = append(parts, of)
	}
	configuration := fitting(parts, len(c.m.Nodes), c.large)
	c.configurations[n.Profile] = configuration
	return configuration
}

// fitting returns what may be shown of the services in one of so many objects, the smallest first, and notes what
// is too large.
func fitting(parts []shownConf, objects int, large map[string]bool) map[string]any {
	slices.SortStableFunc(parts, func(a, b shownConf) int { return cmp.Compare(a.size, b.size) })
	fits, left := map[string]any{}, min(shownMost, shownAll/objects)
	for _, part := range parts {
		switch {
		case part.value == nil:
		case part.size > left:
			large[part.service] = true
			fits[part.service] = tooLarge
		default:
			left -= part.size
			fits[part.service] = part.value
		}
	}
	return fits
}

// shownOf returns the configuration of a service without a value when there is nothing in it.
func shownOf(service string, conf cty.Value) shownConf {
	if conf == cty.NilVal || !conf.IsMarked() && conf.IsKnown() && conf.LengthInt() == 0 {
		return shownConf{service: service}
	}
	value := unit.Visible(conf)
	return shownConf{service: service, value: value, size: sizeOf(value, shownMost)}
}

// tellLarge says of which services something is not shown in objects of a kind.
func (c *composer) tellLarge(summary string, services map[string]bool, where string, objects int) {
	if len(services) == 0 {
		return
	}
	c.diags.Append(diag.Diagnostic{
		Severity: diag.Warning, Code: codeShown, Subject: &c.m.Cloud.Range, Summary: summary,
		Detail: fmt.Sprintf("what is written for %s is too large to be shown in the "+where+"; it holds all the same", strings.Join(slices.Sorted(maps.Keys(services)), ", "), objects),
		Hint:   "nothing has to be done; the report has a page for each node, which shows more of it",
	})
}

// sizeOf is about how many bytes a value takes as JSON. It stops counting above a limit.
func sizeOf(v any, limit int) int {
	size := 0
	var walk func(v any)
	walk = func(v any) {
		if size > limit {
			return
		}
		switch v := v.(type) {
		case string:
			size += len(v) + 2
		case []any:
			size += 2
			for _, element := range v {
				size++
				walk(element)
			}
		case map[string]any:
			size += 2
			for key, element := range v {
				size += len(key) + 4
				walk(element)
			}
		default:
			size += 8
		}
	}
	walk(v)
	return size
}
