package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// interfaces is a cloud in which an instance has two of them, one in each network, with security groups each.
func interfaces(outer string, innerGroup, outerGroup string) map[string]func(*http.Request) any {
	type object = map[string]any
	answers := whole()
	answers["/v2.0/security-groups"] = listed("security_groups", groupOf("51", "admin"), groupOf("52", "web"))
	answers["/v2.0/networks"] = listed("networks", object{"id": idOf("a4"), "name": "inner", "project_id": idOf("a1"), "admin_state_up": true}, object{"id": idOf("a3"), "name": "outer", "project_id": idOf("a1"), "admin_state_up": true})
	port := func(id, network, name, group string) object {
		return object{
			"id": idOf(id), "name": name, "project_id": idOf("a1"), "network_id": idOf(network), "fixed_ips": []any{object{"subnet_id": idOf("a5"), "ip_address": "10.1.0." + id}},
			"mac_address": "fa:16:3e:00:00:0" + id, "admin_state_up": true, "security_groups": []any{idOf(group)}, "device_id": idOf("5"), "device_owner": "compute:nova",
			"port_security_enabled": true, "binding:host_id": "node-1",
		}
	}
	answers["/v2.0/ports"] = listed("ports", port("2", "a4", "", innerGroup), port("3", "a3", outer, outerGroup))
	answers["/v2.0/trunks"] = listed("trunks")
	return answers
}

// Each interface of an instance that is exported and adopted keeps the security groups that it has.
func TestExportOfInterfacesWithGroupsOfTheirOwn(t *testing.T) {
	for _, test := range []struct {
		name, outer    string
		inner, outside string // groups
		written, not   []string
	}{
		{"alike", "", "52", "52", []string{"networks = [network.inner, network.outer]", "security_groups = [security_group.web]"}, []string{"ports ="}},
		{"different", "", "51", "52", []string{"networks = [network.inner, network.outer]"}, []string{"security_groups =", "ports ="}},
		{"one is a block", "mine", "51", "52", []string{"networks = [network.inner]", "ports = [port.mine]", "security_groups = [security_group.admin]"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := answering(t, interfaces(test.outer, test.inner, test.outside))
			live, _, err := d.Live(t.Context(), export.Kinds(language()))
			if err != nil {
				t.Fatal(err)
			}
			_, hcl := adoptsAll(t, d, live, export.Selection{Kinds: []string{"instance", "network", "port", "security_group"}})
			_, block, _ := strings.Cut(strings.Join(strings.Fields(hcl), " "), `instance "web" {`)
			block, _, _ = strings.Cut(block, "import {")
			for _, want := range test.written {
				if !strings.Contains(block, want) {
					t.Errorf("no %s in %s", want, block)
				}
			}
			for _, not := range test.not {
				if strings.Contains(block, not) {
					t.Errorf("%s in %s", not, block)
				}
			}
		})
	}
}

// Groups that are written of an instance are wanted of each interface: a plan says so where the interfaces have some of them each.
func TestPlanShowsGroupsByInterface(t *testing.T) {
	d := answering(t, interfaces("", "51", "52"))
	tg := target(t, "instance", "web", values{"image": text(idOf("10")), "flavor": text("f"), "networks": list(idOf("a4"), idOf("a3")), "security_groups": list(idOf("51"), idOf("52"))})
	tg.Import = idOf("5")
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
	if want := `["` + idOf("51") + `"] and ["` + idOf("52") + `"], by interface`; len(diff.Fields) != 1 || diff.Fields[0].Before != want {
		t.Errorf("got %+v, want %s", diff, want)
	}
}
