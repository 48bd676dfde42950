package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// ruleFor is a rule as it is written.
func ruleFor(port int64, group string) cty.Value {
	written := map[string]cty.Value{"direction": text("ingress"), "protocol": text("tcp"), "port_min": cty.NumberIntVal(port)}
	if group != "" {
		written["remote_group"] = text(group)
	}
	all := map[string]cty.Value{}
	for name, of := range language().Resource("security_group").Nested("rule").ValueType().ElementType().AttributeTypes() {
		if all[name] = cty.NullVal(of); written[name] != cty.NilVal {
			all[name] = written[name]
		}
	}
	return cty.ObjectVal(all)
}

// TestRulesThatGo has a plan tell each rule that an update deletes, also one that bears our mark and is not on record, as
// the versions before left none there; and none deleted that is still written, in whichever way.
func TestRulesThatGo(t *testing.T) {
	live := func(id string, port int, mark, group string) any {
		r := map[string]any{"id": idOf(id), "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": port, "port_range_max": port, "remote_group_id": nil, "remote_ip_prefix": nil, "description": mark}
		if group != "" {
			r["remote_group_id"] = group
		}
		return r
	}
	for name, test := range map[string]struct {
		want   []cty.Value
		record []string
		rules  func(mark string) []any
		before []string // what the plan tells of what is there
		sent   []string
	}{
		"one of ours, not on record": {
			want: []cty.Value{ruleFor(22, "")},
			rules: func(m string) []any {
				return []any{live("61", 22, m, ""), live("62", 80, m, ""), live("63", 443, "", "")}
			},
			before: []string{"22", "80"}, sent: []string{"DELETE 62"},
		},
		"the last of ours, not on record": {
			rules:  func(m string) []any { return []any{live("61", 22, m, "")} },
			before: []string{"22"}, sent: []string{"DELETE 61"},
		},
		"its own group by id in place of self": {
			want: []cty.Value{ruleFor(22, "g1"), ruleFor(80, "")}, record: []string{"ingress IPv4 tcp 22 22 self"},
			rules:  func(m string) []any { return []any{live("61", 22, m, "g1")} },
			before: []string{"22"}, sent: []string{"POST"},
		},
		"its own group by id, of others once": {
			want: []cty.Value{ruleFor(80, "")}, record: []string{"ingress IPv4 tcp 22 22 g1", "ingress IPv4 tcp 80 80 any"},
			rules: func(m string) []any {
				return []any{live("61", 22, "", "g1"), live("62", 80, m, ""), live("63", 443, "", "g1")}
			},
			before: []string{"22", "80"}, sent: []string{"DELETE 61"},
		},
		"the last one, its own group by id": {
			record: []string{"ingress IPv4 tcp 22 22 g1"},
			rules:  func(m string) []any { return []any{live("61", 22, "", "g1")} },
			before: []string{"22"}, sent: []string{"DELETE 61"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			written := values{}
			if test.want != nil {
				written["rule"] = cty.ListVal(test.want)
			}
			target := known(t, "security_group", "g1", written)
			target.Set, target.Complete = map[string][]string{"rule": test.record}, true
			rules := test.rules("[" + target.Mark + "]")
			group := func() map[string]any {
				g := groupOf("51", target.Address.Name(), rules...)
				g["id"], g["description"] = "g1", "["+target.Mark+"]"
				return g
			}
			var sent []string
			answers := whole()
			answers["/v2.0/security-groups"] = func(*http.Request) any { return map[string]any{"security_groups": []any{group()}} }
			answers["/v2.0/security-groups/g1"] = func(*http.Request) any { return map[string]any{"security_group": group()} }
			answers["PUT /v2.0/security-groups/g1"] = answers["/v2.0/security-groups/g1"]
			answers["POST /v2.0/security-group-rules"] = func(*http.Request) any {
				sent = append(sent, "POST")
				return map[string]any{"security_group_rule": map[string]any{"id": idOf("69")}}
			}
			for _, id := range []string{"61", "62", "63"} {
				answers["DELETE /v2.0/security-group-rules/"+idOf(id)] = func(*http.Request) any {
					sent = append(sent, "DELETE "+id)
					return http.StatusNoContent
				}
			}
			d := answering(t, answers)
			state := (&bench{Driver: d}).see(t, target)
			diff := d.Compare(target, wantedOf(target), state)
			if len(diff.Fields) != 1 {
				t.Fatalf("the plan tells %+v", diff)
			}
			var told []string
			for _, port := range []string{"22", "80", "443"} {
				if strings.Contains(diff.Fields[0].Before, ":"+port+",") || strings.Contains(diff.Fields[0].Before, ":"+port+"}") {
					told = append(told, port)
				}
			}
			if !slices.Equal(told, test.before) {
				t.Errorf("of what is there the plan tells the ports %q, want %q: %s", told, test.before, diff.Fields[0].Before)
			}
			if _, err := d.Apply(t.Context(), target, wantedOf(target), state); err != nil || !slices.Equal(sent, test.sent) {
				t.Errorf("sent %q, %v, want %q", sent, err, test.sent)
			}
		})
	}
}

// TestLoosePortsThatCannotBeSeen are no reason to forget them: they keep their subnets from being deleted.
func TestLoosePortsThatCannotBeSeen(t *testing.T) {
	target := known(t, "router", "r1", values{"subnets": list("s0")})
	target.Set, target.Complete = map[string][]string{"subnets": {"s0", "s1"}}, true
	router := map[string]any{"id": "r1", "name": target.Address.Name(), "project_id": "p1", "description": "[" + target.Mark + "]", "tags": []any{}, "routes": []any{}}
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.0/routers": listed("routers", router),
		"/v2.0/ports": func(r *http.Request) any {
			if r.URL.Query().Has("description") {
				return http.StatusBadRequest
			}
			return map[string]any{"ports": []any{map[string]any{
				"id": "p0", "network_id": "n1", "device_id": "r1", "device_owner": "network:router_interface", "description": "[" + target.Mark + "]", "security_groups": []any{},
				"fixed_ips": []any{map[string]any{"subnet_id": "s0", "ip_address": "10.0.0.1"}},
			}}}
		},
	})
	states, _ := d.Observe(t.Context(), []unit.Target{target})
	if state := states[target.Address]; state.Existence != unit.Present || len(state.Unseen) == 0 {
		t.Errorf("%s, unseen %q: %s", state.Existence, state.Unseen, state.Message)
	}
}

// TestPortOfABlockBesideNovas has the groups of an instance count for the port that Nova made, and not for one in the same
// network that has a block, whichever is older.
func TestPortOfABlockBesideNovas(t *testing.T) {
	answers := interfaces("", "51", "52")
	port := func(id, created, description, group string) map[string]any {
		return map[string]any{
			"id": idOf(id), "name": "", "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": []any{map[string]any{"subnet_id": idOf("a5"), "ip_address": "10.1.0." + id}},
			"admin_state_up": true, "security_groups": []any{idOf(group)}, "device_id": idOf("5"), "device_owner": "compute:nova", "created_at": created, "description": description,
			"port_security_enabled": true,
		}
	}
	target := target(t, "instance", "web", values{"image": text(idOf("10")), "flavor": text("f"), "networks": list(idOf("a4")), "security_groups": list(idOf("52"))})
	target.Import = idOf("5")
	for _, created := range []string{"2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"} {
		answers["/v2.0/ports"] = listed("ports", port("2", "2026-02-01T00:00:00Z", "", "51"), port("3", created, "["+known(t, "port", "x", values{}).Mark+"]", "51"))
		d := answering(t, answers)
		states, err := d.Observe(t.Context(), []unit.Target{target})
		if err != nil {
			t.Fatal(err)
		}
		diff := d.Compare(target, wantedOf(target), states[target.Address])
		if !slices.ContainsFunc(diff.Fields, func(f unit.Field) bool { return f.Path == "security_groups" }) {
			t.Errorf("made at %s: %+v", created, diff)
		}
	}
}

// TestScopesWithoutAName are not made, as one could not be found again whose answer is lost.
func TestScopesWithoutAName(t *testing.T) {
	target := target(t, "address_scope", "inner", values{"name": text(""), "ip_version": cty.NumberIntVal(4)})
	answers := whole()
	answers["/v2.0/address-scopes"] = listed("address_scopes")
	d := answering(t, answers)
	diff := d.Compare(target, wantedOf(target), (&bench{Driver: d}).see(t, target))
	if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "write a name") {
		t.Errorf("%+v", diff)
	}
}

// TestRulesDoNotWaitForStateful: what Neutron refuses while a port uses the group holds back none of its rules.
func TestRulesDoNotWaitForStateful(t *testing.T) {
	target := known(t, "security_group", "g1", values{"stateful": cty.True, "tags": set("a"), "rule": cty.ListVal([]cty.Value{ruleFor(22, "")})})
	target.Complete = true
	group := groupOf("51", target.Address.Name())
	group["id"], group["description"], group["stateful"] = "g1", "["+target.Mark+"]", false
	var sent []string
	note := func(what string, answer any) func(*http.Request) any {
		return func(*http.Request) any { sent = append(sent, what); return answer }
	}
	answers := whole()
	answers["/v2.0/security-groups"] = listed("security_groups", group)
	answers["/v2.0/security-groups/g1"] = func(*http.Request) any { return map[string]any{"security_group": group} }
	answers["POST /v2.0/security-group-rules"] = note("rule", map[string]any{"security_group_rule": map[string]any{"id": idOf("69")}})
	answers["PUT /v2.0/security-groups/g1/tags/a"] = note("tag", http.StatusCreated)
	answers["PUT /v2.0/security-groups/g1"] = note("group", http.StatusConflict)
	d := answering(t, answers)
	state := (&bench{Driver: d}).see(t, target)
	_, err := d.Apply(t.Context(), target, wantedOf(target), state)
	if want := []string{"rule", "tag", "group"}; !unit.IsBlocked(err) || !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q: %v", sent, want, err)
	}
}
