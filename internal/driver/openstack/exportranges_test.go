package openstack_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
)

// TestExportOfRangesWithHostBits: Neutron keeps such a range as somebody wrote it. What has one is exported with the range that
// is meant, and a plan of that changes nothing.
func TestExportOfRangesWithHostBits(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	answers := whole()
	group := groupOf("51", "admin")
	group["security_group_rules"] = []any{object{"id": idOf("52"), "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22, "remote_ip_prefix": "192.0.2.5/24", "description": ""}}
	answers["/v2.0/security-groups"] = listed("security_groups", group)
	answers["/v2.0/trunks"] = listed("trunks")
	answers["/v2.0/ports"] = listed("ports", object{
		"id": idOf("1"), "name": "shared", "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": []any{}, "mac_address": "fa:16:3e:00:00:01", "admin_state_up": true, "security_groups": []any{idOf("51")},
		"device_id": "", "device_owner": "", "port_security_enabled": true, "allowed_address_pairs": []any{object{"ip_address": "198.51.100.7/24", "mac_address": "fa:16:3e:00:00:01"}, object{"ip_address": "198.51.100.9", "mac_address": "fa:16:3e:00:00:01"}},
	})
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	result, hcl := adoptsAll(t, d, live, export.Selection{Kinds: []string{"port", "security_group"}})
	if result.Objects != 2 || result.Unwritable != 0 {
		t.Errorf("%d exported, %d left out", result.Objects, result.Unwritable)
	}
	for _, want := range []string{`"192.0.2.0/24"`, `"198.51.100.0/24"`, `"198.51.100.9"`} {
		if !strings.Contains(hcl, want) {
			t.Errorf("no %s in\n%s", want, hcl)
		}
	}
}
