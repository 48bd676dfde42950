package openstack_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// groupOf is a security group of the shop, as Neutron shows it.
func groupOf(last, name string, rules ...any) map[string]any {
	return map[string]any{"id": idOf(last), "name": name, "project_id": idOf("a1"), "description": "", "stateful": true, "tags": []any{}, "security_group_rules": rules}
}

// A rule for the addresses of a group is one for nobody else, wherever it is written.
func TestRuleForAGroupOfAddresses(t *testing.T) {
	group := groupOf("51", "web", map[string]any{
		"id": idOf("61"), "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22,
		"remote_group_id": nil, "remote_ip_prefix": nil, "remote_address_group_id": idOf("71"), "description": "admins only",
	})
	answers := whole()
	answers["/v2.0/security-groups"] = listed("security_groups", group)
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	if _, hcl := adoptsAll(t, d, live, export.Selection{Kinds: []string{"security_group"}}); !strings.Contains(hcl, `remote_address_group = "`+idOf("71")+`"`) {
		t.Errorf("the rule is for everybody:\n%s", hcl)
	}
}

// A new rule is made with the group of addresses that it is for.
func TestNewRuleForAGroupOfAddresses(t *testing.T) {
	var sent map[string]any
	answers := whole()
	group := groupOf("51", "web")
	answers["/v2.0/security-groups"] = listed("security_groups", group)
	answers["/v2.0/security-groups/"+idOf("51")] = func(*http.Request) any { return map[string]any{"security_group": group} }
	answers["PUT /v2.0/security-groups/"+idOf("51")] = func(*http.Request) any { return map[string]any{"security_group": group} }
	answers["POST /v2.0/security-group-rules"] = func(r *http.Request) any {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		return map[string]any{"security_group_rule": map[string]any{"id": idOf("61")}}
	}
	d := answering(t, answers)
	tg := target(t, "security_group", "web", values{"rule": cty.ListVal([]cty.Value{cty.ObjectVal(values{
		"direction": text("ingress"), "protocol": text("tcp"), "remote_address_group": text(idOf("71")),
	})})})
	tg.Import = idOf("51")
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil {
		t.Fatal(err)
	}
	if rule, _ := sent["security_group_rule"].(map[string]any); rule["remote_address_group_id"] != idOf("71") || rule["remote_ip_prefix"] != nil {
		t.Errorf("sent %v", sent)
	}
}

// Groups that let each other in are exported so that they can be adopted: only one of the two refers to the other.
func TestExportOfGroupsThatLetEachOtherIn(t *testing.T) {
	rule := func(id, remote string) map[string]any {
		return map[string]any{"id": idOf(id), "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": 80, "port_range_max": 80, "remote_group_id": idOf(remote), "remote_ip_prefix": nil}
	}
	answers := whole()
	answers["/v2.0/security-groups"] = listed("security_groups",
		groupOf("51", "app", rule("61", "53")), groupOf("52", "db", rule("62", "51"), rule("63", "52")), groupOf("53", "web", rule("64", "52"), rule("65", "51")))
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	_, hcl := adoptsAll(t, d, live, export.Selection{Kinds: []string{"security_group"}})
	for _, want := range []string{
		"remote_group = security_group.web\n", "remote_group = security_group.app\n",
		`remote_group = "` + idOf("52") + `" # security_group.db, which refers to this block itself`,
	} {
		if !strings.Contains(hcl, want) {
			t.Errorf("no %s in\n%s", want, hcl)
		}
	}
}
