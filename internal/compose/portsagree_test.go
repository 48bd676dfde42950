package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestPorts: where an API is given another port than others go by, that is told where it is written.
func TestPorts(t *testing.T) {
	const exposed = "\n  exposure {\n    domain        = \"example.org\"\n    ingress_class = \"nginx\"\n  }\n"
	image := func(ports string) string { return "image = { port = { api = { " + ports + " } } }" }
	for _, test := range []struct{ cloud, service, values, want string }{
		{"", "glance", image(`default = 9999`), "default of glance is 9999, and another port counts for values.endpoints.image.port.api.public, ironic, nova: "},
		{"", "glance", image(`service = 9999`), "service of glance is 9999, and another port counts for values.endpoints.image.port.api.internal, values.endpoints.image.port.api.public, ironic, nova: "},
		{"", "glance", image(`internal = 9999`), "another port counts for values.endpoints.image.port.api.service, values.endpoints.image.port.api.public, ironic, nova: "},
		{"", "glance", image(`public = 9999`), "another port counts for values.endpoints.image.port.api.service, values.endpoints.image.port.api.internal, ironic, nova: "},
		{"", "glance", image(`default = 9292, service = 9292`), ""},
		{"", "glance", image(`default = var.port, public = 9292`), ""},
		{"", "glance", `image = { hosts = { public = "glance" }, port = { api = { public = 80 } } }`, ""},
		{"", "glance", `image = { host_fqdn_override = { public = { host = "img.example.org" } }, port = { api = { public = 443 } } }`, ""},
		{"", "glance", `image = { host_fqdn_override = { default = "img.example.org" }, port = { api = { public = 443 } } }`, ""},
		{"", "glance", `image = { host_fqdn_override = { default = null }, port = { api = { public = 443 } } }`, "public of glance is 443, "},
		{"", "glance", image(`default = 9999, public = 9999`), "another port counts for ironic, nova: "},
		{"", "keystone", `identity = { port = { api = { internal = 5001 } } }`, "internal of keystone is 5001, and another port counts for values.endpoints.identity.port.api.service: "},
		{"", "keystone", `identity = { port = { api = { default = 5001 } } }`, "another port counts for values.endpoints.identity.port.api.service, values.endpoints.identity.port.api.internal: "},
		{"", "keystone", `identity = { port = { api = { public = 443 } }, host_fqdn_override = { public = { host = "id.example.org" } } }`, ""},
		{"", "keystone", `identity = { port = { api = { default = 80, internal = 5000, service = 5000 } }, host_fqdn_override = { public = { host = "id.example.org" } } }`, ""},
		{"", "keystone", `identity = { port = { api = { internal = 5001 } }, host_fqdn_override = { public = { host = "id.example.org" } } }`, "another port counts for values.endpoints.identity.port.api.service: "},
		{"", "placement", `placement = { port = { api = { default = 9999, public = 9999 } } }`, "another port counts for values.endpoints.placement.port.api.service: "},
		{"", "placement", `placement = { port = { api = { default = 9999, public = 9999, service = 9999 } } }`, ""},
		{"", "heat", `cloudformation = { port = { api = { default = 9999, public = 9999, service = 9999 } } }`, ""},
		{exposed, "heat", `cloudformation = { port = { api = { default = 9999, service = 9999 } } }`, "another port counts for the routes of exposure: "},
		{exposed, "heat", `cloudformation = { port = { api = { public = 8443 } } }`, ""},
		{"", "horizon", `dashboard = { port = { web = { default = 8080 } } }`, "another port counts for KupenStack, which asks whether it answers: "},
		{"", "horizon", `dashboard = { port = { web = { public = 443 } } }`, ""},                  // nothing reads it
		{"", "nova", `compute_novnc_proxy = { port = { novnc_proxy = { service = 9999 } } }`, ""}, // nothing reads it
		{"", "nova", `compute_metadata = { port = { metadata = { default = 9999, public = 9999 } } }`, "another port counts for values.network.metadata.port, neutron: "},
	} {
		source := composed.Source("ovs", "", test.cloud+"  profile = profile.written") + "variable \"port\" {\n  default   = 9292\n  sensitive = true\n}\n" +
			fmt.Sprintf("profile \"written\" {\n  service %q {\n    values = { endpoints = { %s } }\n  }\n}\n", test.service, test.values)
		m, ev := composed.Text(t, source)
		_, told := compose.Compose(m, ev, compose.Facts{})
		if test.want == "" {
			if len(told) > 0 {
				t.Errorf("%s: %s: %v", test.service, test.values, told[0])
			}
			continue
		}
		if len(told) != 1 || told[0].Severity != diag.Warning || !strings.Contains(told[0].Detail, test.want) ||
			!strings.Contains(strings.Split(source, "\n")[told[0].Subject.Start.Line-1], "values = {") {
			t.Errorf("%s: %s: %v, want a warning with %s", test.service, test.values, told, test.want)
			for _, d := range told {
				t.Log(d.Detail)
			}
		}
	}
	agreed := "profile \"written\" {\n"
	for _, service := range []string{"glance", "cinder", "ironic", "nova"} {
		agreed += fmt.Sprintf("  service %q {\n    values = { endpoints = { %s } }\n  }\n", service, image(`default = 9999, public = 9999`))
	}
	m, ev := composed.Text(t, composed.Source("ovs", "", "  profile = profile.written")+agreed+"}\n")
	if _, told := compose.Compose(m, ev, compose.Facts{}); len(told) > 0 {
		t.Errorf("where all agree: %v", told[0])
	}
}

// TestAgentLabels: where an agent is to choose nodes by a label that none of those has which have the role for it, that is told.
func TestAgentLabels(t *testing.T) {
	const nodes = "node \"w1\" {\n  roles  = [\"compute\"]\n  labels = { kind = \"fast\" }\n}\nnode \"n1\" {\n  roles = [\"network\"]\n}\n"
	for _, test := range []struct{ network, service, labels, want string }{
		{"ovs", "nova", `agent = { compute = { node_selector_key = "other" } }`, "values.labels.agent.compute.node_selector_key of nova is other, and by the blocks of nodes with the role compute none of them has the label that its pods ask for then: they do not run on w1, which have openstack-compute-node=enabled by that role"},
		{"ovs", "nova", `agent = { compute = { node_selector_value = "true" } }`, "values.labels.agent.compute.node_selector_value of nova is true, "},
		{"ovs", "nova", `agent = { compute = { node_selector_key = "openstack-compute-node" } }`, ""},
		{"ovs", "nova", `agent = { compute = { node_selector_key = var.label } }`, ""},
		{"ovs", "nova", `agent = { compute = { node_selector_key = "kind", node_selector_value = "fast" } }`, ""},
		{"ovs", "nova", `agent = { compute = { node_selector_key = "kind" } }`, "node_selector_key of nova is kind, "},
		{"ovs", "nova", `conductor = { node_selector_key = "openstack-network-node" }`, ""},
		{"ovs", "libvirt", `agent = { libvirt = { node_selector_key = "other" } }`, "of libvirt is other, "},
		{"ovs", "openvswitch", `ovs = { node_selector_key = "other" }`, "with the role compute or network none of them has the label that its pods ask for then: they do not run on n1, w1, "},
		{"ovs", "openvswitch", `ovs = { node_selector_key = "kind", node_selector_value = "fast" }`, ""}, // some of them
		{"ovs", "neutron", `agent = { l3 = { node_selector_key = "openstack-control-plane" } }`, "of neutron is openstack-control-plane, "},
		{"ovn", "neutron", `agent = { l3 = { node_selector_key = "openstack-control-plane" } }`, ""}, // which does not run
		{"ovn", "ovn", `ovn_controller = { node_selector_key = "other" }`, "of ovn is other, "},
	} {
		source := composed.Source(test.network, "", "  profile = profile.written") + nodes + "variable \"label\" {\n  default   = \"openstack-compute-node\"\n  sensitive = true\n}\n" +
			fmt.Sprintf("profile \"written\" {\n  service %q {\n    values = { labels = { %s } }\n  }\n}\n", test.service, test.labels)
		m, ev := composed.Text(t, source)
		_, told := compose.Compose(m, ev, compose.Facts{})
		if test.want == "" && len(told) > 0 {
			t.Errorf("%s: %s: %v", test.service, test.labels, told[0])
		}
		if test.want != "" && (len(told) != 1 || told[0].Severity != diag.Warning || !strings.Contains(told[0].Detail, test.want) ||
			!strings.Contains(strings.Split(source, "\n")[told[0].Subject.Start.Line-1], "values = {")) {
			t.Errorf("%s: %s: %v, want a warning with %s", test.service, test.labels, told, test.want)
			for _, d := range told {
				t.Log(d.Detail)
			}
		}
	}
}
