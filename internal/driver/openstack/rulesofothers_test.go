package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestRulesOfOthersHoldBack: what has rules that others have added is not deleted, and told with them.
func TestRulesOfOthersHoldBack(t *testing.T) {
	type object = map[string]any
	id := idOf("3")
	ingress := func(port int, description string) object {
		return object{
			"id": idOf("9"), "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": port, "port_range_max": port,
			"remote_ip_prefix": nil, "remote_group_id": nil, "description": description,
		}
	}
	out := object{"id": idOf("8"), "direction": "egress", "ethertype": "IPv6", "protocol": nil, "port_range_min": nil, "port_range_max": nil, "remote_ip_prefix": nil, "remote_group_id": nil, "description": nil}
	self := object{"id": idOf("7"), "direction": "ingress", "ethertype": "IPv4", "protocol": nil, "remote_group_id": id, "description": ""}
	template := func(inDefault, inOthers bool) object {
		return object{
			"direction": "ingress", "ethertype": "IPv4", "protocol": nil, "remote_group_id": "PARENT",
			"used_in_default_sg": inDefault, "used_in_non_default_sg": inOthers,
		}
	}
	limit := func(direction string) object {
		return object{"id": idOf("9"), "type": "bandwidth_limit", "direction": direction, "max_kbps": 1000, "max_burst_kbps": 0}
	}
	for _, test := range []struct {
		name, kind string
		rules      []any
		set        map[string][]string
		given      []any // the templates of rules
		stays      string
	}{
		{"one of others", "security_group", []any{out, ingress(22, "theirs")}, nil, nil, "ingress IPv4 tcp 22 22 any (" + idOf("9") + ")"},
		{"by a mark", "security_group", []any{out, ingress(22, "[MARK]")}, nil, nil, ""},
		{"by the record", "security_group", []any{out, ingress(22, "")}, map[string][]string{"rule": {"ingress IPv4 tcp 22 22 any"}}, nil, ""},
		{"those of a new group", "security_group", []any{out}, nil, nil, ""},
		{"by templates", "security_group", []any{out, self}, nil, []any{template(false, true)}, ""},
		{"by templates of default groups", "security_group", []any{out, self}, nil, []any{template(true, false)}, "ingress IPv4 any any any self"},
		{"without templates", "security_group", []any{out, self}, nil, nil, "ingress IPv4 any any any self"},
		{"by the record, with its own id", "security_group", []any{out, self}, map[string][]string{"rule": {"ingress IPv4 any any any " + id}}, nil, ""},
		{"limits of others", "qos_policy", []any{limit("ingress"), limit("egress")}, map[string][]string{"bandwidth_limit": {"egress"}}, nil, "bandwidth_limit ingress"},
		{"limits of another type", "qos_policy", []any{object{"id": idOf("9"), "type": "packet_rate_limit", "direction": "any"}}, nil, nil, "packet_rate_limit any"},
		{"our limits", "qos_policy", []any{limit("egress")}, map[string][]string{"bandwidth_limit": {"egress"}}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := recorded(target(t, test.kind, "web", values{}), test.set)
			tg.ID, tg.Fresh = id, false
			path, list, one, rules := "/v2.0/security-groups", "security_groups", "security_group", "security_group_rules"
			if test.kind == "qos_policy" {
				path, list, one, rules = "/v2.0/qos/policies", "policies", "policy", "rules"
			}
			for _, r := range test.rules {
				if text, _ := r.(object)["description"].(string); text == "[MARK]" {
					r.(object)["description"] = "[" + tg.Mark + "]"
				}
			}
			raw := object{"id": id, "name": "web", "project_id": "p1", "description": "[" + tg.Mark + "]", "tags": []any{}, rules: test.rules}
			deleted := false
			answers := map[string]func(*http.Request) any{
				path: listed(list, raw), path + "/" + id: func(*http.Request) any { return object{one: raw} },
				"DELETE " + path + "/" + id: func(*http.Request) any { deleted = true; return http.StatusNoContent },
			}
			if test.given != nil {
				answers["/v2.0/default-security-group-rules"] = func(*http.Request) any { return object{"default_security_group_rules": test.given} }
			}
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.Delete(t.Context(), tg, states[tg.Address])
			if stays := test.stays != ""; deleted == stays || unit.IsBlocked(err) != stays || stays && !strings.Contains(err.Error(), test.stays) {
				t.Errorf("deleted: %t, %v", deleted, err)
			}
		})
	}
}

// TestHowRulesOfOthersGo: a block can claim them, but not those of what was replaced; and older versions kept no record.
func TestHowRulesOfOthersGo(t *testing.T) {
	const claim, noRecord = "or write them in the block", "kept no record"
	id := idOf("3")
	for name, test := range map[string]struct {
		replaced  bool
		set       map[string][]string
		says, not []string
	}{
		"others beside ours":        {false, map[string][]string{"bandwidth_limit": {"egress"}}, []string{claim, "ignore_changes"}, []string{noRecord}},
		"without a record":          {false, nil, []string{claim, noRecord}, nil},
		"replaced":                  {true, map[string][]string{"bandwidth_limit": {"egress"}}, []string{"the whole of " + id}, []string{claim, noRecord}},
		"replaced without a record": {true, nil, []string{"the whole of " + id, noRecord}, []string{claim}},
	} {
		t.Run(name, func(t *testing.T) {
			tg := recorded(target(t, "qos_policy", "web", values{}), test.set)
			tg.ID, tg.Fresh, tg.Replaced = id, false, test.replaced
			raw := map[string]any{
				"id": id, "name": "web", "project_id": "p1", "description": "[" + tg.Mark + "]", "tags": []any{},
				"rules": []any{map[string]any{"id": idOf("9"), "type": "bandwidth_limit", "direction": "ingress", "max_kbps": 1000, "max_burst_kbps": 0}},
			}
			d := answering(t, map[string]func(*http.Request) any{"/v2.0/qos/policies/" + id: func(*http.Request) any { return map[string]any{"policy": raw} }})
			_, err := d.Delete(t.Context(), tg, unit.State{})
			if !unit.IsBlocked(err) {
				t.Fatal(err)
			}
			for _, part := range test.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("without %q: %v", part, err)
				}
			}
			for _, part := range test.not {
				if strings.Contains(err.Error(), part) {
					t.Errorf("with %q: %v", part, err)
				}
			}
		})
	}
}
