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

// The configuration of each node is shown in the cluster, once for each of them. It is for people, and
// nothing there depends on it, so what is too large is left out rather than refused.
const (
	shownNode  = 256 << 10 // bytes of one node's: Kubernetes takes objects of about a megabyte
	shownNodes = 8 << 20   // of all nodes together
	tooLarge   = "(too large to be shown here)"
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
	slices.SortStableFunc(parts, func(a, b shownConf) int { return cmp.Compare(a.size, b.size) })
	configuration, left := map[string]any{}, min(shownNode, shownNodes/len(c.m.Nodes))
	for _, part := range parts {
		switch {
		case part.value == nil:
			continue
		case part.size > left:
			c.large[part.service] = true
			configuration[part.service] = tooLarge
			continue
		}
		left -= part.size
		configuration[part.service] = part.value
	}
	c.configurations[n.Profile] = configuration
	return configuration
}

// shownOf returns the configuration of a service without a value when there is nothing in it.
func shownOf(service string, conf cty.Value) shownConf {
	if conf == cty.NilVal || !conf.IsMarked() && conf.IsKnown() && conf.LengthInt() == 0 {
		return shownConf{service: service}
	}
	value := unit.Visible(conf)
	return shownConf{service: service, value: value, size: sizeOf(value, shownNode)}
}

// tellLarge says what is not shown.
func (c *composer) tellLarge() {
	if len(c.large) == 0 {
		return
	}
	c.diags.Append(diag.Diagnostic{
		Severity: diag.Warning, Code: codeShown, Subject: &c.m.Cloud.Range, Summary: "configuration of nodes is not shown",
		Detail: fmt.Sprintf("the configuration of %s is too large to be shown in the OpenstackNode of each of %d nodes; it holds all the same", strings.Join(slices.Sorted(maps.Keys(c.large)), ", "), len(c.m.Nodes)),
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
