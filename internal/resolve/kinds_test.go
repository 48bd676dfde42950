package resolve_test

import (
	"strings"
	"testing"
)

// TestOfKinds: what single kinds take and what they do not.
func TestOfKinds(t *testing.T) {
	const router = "router \"edge\" {\n  external_fixed_ip {\n    ip_address = \"192.0.2.2\"\n  }\n}\n"
	for name, test := range map[string]struct{ hcl, want string }{
		"no QoS":                        {`volume_type "gold" { qos = "" }`, ""},
		"no policy in such a way":       {`network "web" { qos_policy = "" }`, "must be "},
		"an address without a network":  {router, "external_fixed_ip needs the network that the address is in"},
		"an address in a network":       {strings.Replace(router, "{\n", "{\n  external_network = network.web\n", 1) + `network "web" {}`, ""},
		"import by filter, no mark":     {"volume_qos \"gold\" {}\nimport {\n  to = volume_qos.gold\n  filter = { name = \"gold\" }\n}\n", "bears no mark"},
		"import by filter, with a mark": {"network \"web\" {}\nimport {\n  to = network.web\n  filter = { name = \"gold\" }\n}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, diags := resolveText(t, reachOnly+test.hcl, nil)
			if test.want == "" && len(diags) > 0 || test.want != "" && (len(diags) != 1 || !strings.Contains(diags[0].Detail, test.want) || diags[0].Subject == nil || diags[0].Hint == "") {
				t.Errorf("got %+v", diags)
			}
		})
	}
}
