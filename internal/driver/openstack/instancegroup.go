package openstack

import (
	"context"
	"fmt"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

const groupAttribute = "server_group"

// group fills in the server groups of instances that write one, or are wanted whole: one list of all groups has their
// members. Where nobody writes one, not to be shown that list leaves them unknown.
func (k instanceKind) group(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	var grouped []found
	for _, f := range objects {
		if f.whole || f.concerns(groupAttribute) {
			grouped = append(grouped, f)
		}
	}
	if len(grouped) == 0 {
		return failures
	}
	groups, err := serverGroupKind{}.listRaw(ctx, s)
	if err != nil {
		err = fmt.Errorf("the server group is not known: %w", err)
	}
	groupOf := map[string]string{}
	for _, group := range groups {
		for _, member := range textsAt(group, "members") {
			groupOf[member] = textAt(group, "id")
		}
	}
	for _, f := range grouped {
		if err != nil {
			if !f.whole {
				f.miss(failures, "nova", err, groupAttribute)
			}
			continue
		}
		f.object.values.set(groupAttribute, cty.NullVal(cty.String))
		if group := groupOf[f.object.id]; group != "" {
			f.object.values.set(groupAttribute, cty.StringVal(group))
		}
	}
	return failures
}

// newHints are what the scheduler is told of a new server, which Nova does not show later on.
func newHints(w wanted) map[string]any {
	hints := map[string]any{}
	written, _ := w.plain("scheduler_hints").(map[string]any)
	maps.Copy(hints, written)
	for _, name := range []string{"same_host", "different_host"} {
		if instances := w.list(name); len(instances) > 0 {
			hints[name] = instances
		}
	}
	if group := w.text(groupAttribute); group != "" {
		hints["group"] = group
	}
	return hints
}
