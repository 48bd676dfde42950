package openstack

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestRuleChanges(t *testing.T) {
	k := securityGroupKind{neutronSecurityGroups(schema.New())}
	raw := func(id, description string, more map[string]any) map[string]any {
		r := map[string]any{"id": id, "direction": "ingress", "ethertype": "IPv4", "description": description}
		for key, v := range more {
			r[key] = v
		}
		return r
	}
	ours := "[" + testMark + "]"
	group := k.read(map[string]any{"id": "g1", "name": "web", "description": ours, "security_group_rules": []any{
		raw("default", "", map[string]any{"direction": "egress"}),
		raw("web", "Web "+ours, map[string]any{"protocol": "tcp", "port_range_min": "80", "port_range_max": "80"}),
		raw("old", ours, map[string]any{"protocol": "tcp", "port_range_min": "23", "port_range_max": "23"}),
		raw("theirs", "", map[string]any{"protocol": "udp", "port_range_min": "53", "port_range_max": "53"}),
		raw("itself", "", map[string]any{"protocol": "vrrp", "remote_group_id": "g1"}),
	}})
	element := k.schema.Nested(ruleBlock).ValueType().ElementType()
	rule := func(written map[string]any) cty.Value { return fromMap(written, element) }
	web := map[string]any{"direction": "ingress", "ethertype": "IPv4", "protocol": "6", "port_min": "80", "remote_cidr": "0.0.0.0/0", "description": "Web"}
	for _, test := range []struct {
		name             string
		want             []cty.Value
		missing, surplus []string
	}{
		{"in another spelling", []cty.Value{rule(web)}, nil, []string{"old"}},
		{"none", nil, nil, []string{"web", "old"}},
		{"one that others have made", []cty.Value{rule(web), rule(map[string]any{"direction": "ingress", "protocol": "udp", "port_min": "53", "port_max": "53"})}, nil, []string{"old"}},
		{"the default", []cty.Value{rule(web), rule(map[string]any{"direction": "egress", "ethertype": "IPv4"})}, nil, []string{"old"}},
		{"another description", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "tcp", "port_min": "80", "port_max": "80", "description": "Site"})}, []string{"tcp80"}, []string{"web", "old"}},
		{"itself", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "vrrp", "self": true})}, nil, []string{"web", "old"}},
		{"itself no more", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "vrrp", "self": false})}, []string{"vrrp"}, []string{"web", "old"}},
		{"written twice", []cty.Value{rule(map[string]any{"direction": "ingress", "protocol": "icmp"}), rule(map[string]any{"direction": "ingress", "protocol": "1"})}, []string{"icmp"}, []string{"web", "old"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			missing, surplus := ruleChanges(collection(test.want, cty.List(element)), group)
			var made, gone []string
			for _, r := range missing {
				made = append(made, r.protocol+r.portMin)
			}
			for _, r := range surplus {
				gone = append(gone, r.id)
			}
			if !slices.Equal(made, test.missing) || !slices.Equal(gone, test.surplus) {
				t.Errorf("to make %q, to delete %q; want %q and %q", made, gone, test.missing, test.surplus)
			}
		})
	}
}

func TestMarksInDescriptions(t *testing.T) {
	for _, text := range []string{"", "Front end", "two\nlines", "with [brackets]", "ends with space "} {
		back, mark := splitMark(joinMark(text, testMark))
		if back != text || mark != testMark {
			t.Errorf("%q became %q with the mark %q", text, back, mark)
		}
	}
	if text, mark := splitMark("plain [note]"); text != "plain [note]" || mark != "" {
		t.Errorf("got %q and %q", text, mark)
	}
}
