package openstack

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// spare keeps a group that has rules of others, which would go along: those that bear no mark, are neither on record nor
// written, and that Neutron does not give every new group.
func (k securityGroupKind) spare(ctx context.Context, s *session, o *object, t unit.Target) error {
	there, _ := o.detail.([]groupRule)
	nested := k.schema.Nested(ruleBlock)
	ours := spelled(slices.Concat(t.Set[ruleBlock], nested.KeysOf(unmarked(attribute(desiredOf(t), ruleBlock)))), o)
	others := slices.DeleteFunc(slices.Clone(there), func(r groupRule) bool {
		return r.mark != "" || r.letsAllOut() || slices.Contains(ours, nested.KeyOf(r.value))
	})
	if len(others) == 0 {
		return nil
	}
	given, err := k.given(ctx, s, o)
	if err != nil {
		return err
	}
	var names []string
	for _, r := range others {
		if key := nested.KeyOf(r.value); !slices.Contains(given, key) {
			names = append(names, fmt.Sprintf("%s (%s)", key, r.id))
		}
	}
	return ofOthers("the security group", names, t, t.Set[ruleBlock] == nil)
}

// letsAllOut tells whether it is one of the rules that a new group has: they let all out, of either version of IP.
func (r rule) letsAllOut() bool {
	r.Ethertype = ""
	return r.GroupRule == schema.GroupRule{Direction: "egress"}
}

// given are the keys of the rules that a Neutron with templates for them gives a new group.
func (k securityGroupKind) given(ctx context.Context, s *session, o *object) ([]string, error) {
	c := call{service: serviceNetwork, method: http.MethodGet, path: "default-security-group-rules"}
	answer, err := s.do(ctx, c)
	if notFound(err) || statusIs(err, http.StatusForbidden) { // without the extension, or not for us to see
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	used := "used_in_non_default_sg"
	if o.title == defaultGroup {
		used = "used_in_default_sg"
	}
	var rules []any
	for _, raw := range objectsAt(answer, "default_security_group_rules") {
		if raw[used] == false { // such as that the group lets itself in, which only that of a project does by default
			continue
		}
		if raw[keyRemoteGroup] == "PARENT" { // the group that the rule is in
			raw[keyRemoteGroup] = o.id
		}
		rules = append(rules, raw)
	}
	made := k.read(map[string]any{"id": o.id, keyGroupRules: rules})
	return k.schema.Nested(ruleBlock).KeysOf(made.values.get(ruleBlock)), nil
}

// spare keeps a policy that has rules of others, which would go along. Of the mark that packets get, which there is one
// of, nothing is on record: it does not count.
func (k qosPolicyKind) spare(_ context.Context, _ *session, o *object, t unit.Target) error {
	var names []string
	unrecorded := false
	for _, r := range objectsAt(o.raw, keyRules) {
		kind, direction := textAt(r, "type"), textAt(r, keyDirection)
		nested := k.schema.Nested(kind)
		if kind == markRule || nested != nil && slices.Contains(slices.Concat(t.Set[kind], nested.KeysOf(unmarked(attribute(desiredOf(t), kind)))), direction) {
			continue
		}
		unrecorded = unrecorded || nested != nil && t.Set[kind] == nil
		names = append(names, fmt.Sprintf("%s (%s)", strings.TrimSpace(kind+" "+direction), textAt(r, "id")))
	}
	return ofOthers("the QoS policy", names, t, unrecorded)
}

// ofOthers holds back what has rules of others, and says how it can go. Where none is on record an older program may
// have set them, which kept no record of what it set once and of what was replaced.
func ofOthers(what string, names []string, t unit.Target, unrecorded bool) error {
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	problem := fmt.Sprintf("%s has rules that others have added", what)
	if unrecorded {
		problem += ", or that an earlier version of this program set and kept no record of"
	}
	todo := "delete them first, or write them in the block, without them in its ignore_changes, and then take it out"
	if t.Replaced {
		todo = fmt.Sprintf("another one has taken its place, so that no block speaks of it: delete those rules or the whole of %s by hand", t.ID)
	}
	return unit.Blocked(fmt.Sprintf("%s: %s; %s", problem, several(names), todo))
}
