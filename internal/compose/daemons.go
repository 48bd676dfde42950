package compose

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// tellUngated warns where people have Kubernetes replace the pods of a chart's DaemonSets: what people write for charts
// counts, and one line of it gives up all that is looked at before the next node.
func (c *composer) tellUngated(s *model.Service, values map[string]any) {
	ours := map[string]any{}
	fill(ours, &c.m.Cloud, settings()[s.Name])
	written := get(values, replacementOfDaemons)
	if get(ours, replacementOfDaemons) != onlyOnDelete || written == onlyOnDelete {
		return
	}
	at, text := c.whereKey(s, s.Settings, steps(replacementOfDaemons))
	c.failAt(codeUnsafe, at, "nodes are not rolled one by one",
		fmt.Sprintf("with %s, Kubernetes replaces the pods of all DaemonSets of %s at its own speed: nobody looks at what runs on a node, or at whether the one before works, before the next one",
			text, s.Name),
		"take it away: then it is "+onlyOnDelete+", and pods are replaced node by node, each once the one before works")
	c.diags[len(c.diags)-1].Severity = diag.Warning
}
