//go:build beds

package charts_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmPorts gives each API of OpenStack-Helm's charts another port, for all or for its Service alone, and holds what
// compose warns of against the Service that comes out.
func TestOpenStackHelmPorts(t *testing.T) {
	dir := checkoutOfCharts(t)
	for _, api := range []struct {
		service, endpoint, port, name string
		usual                         int32
	}{
		{"glance", "image", "api", "glance-api", 9292},
		{"placement", "placement", "api", "placement-api", 8778},
		{"neutron", "network", "api", "neutron-server", 9696},
		{"nova", "compute", "api", "nova-api", 8774},
		{"nova", "compute_metadata", "metadata", "nova-metadata", 8775},
		{"nova", "compute_novnc_proxy", "novnc_proxy", "nova-novncproxy", 6080},
		{"cinder", "volumev3", "api", "cinder-api", 8776},
		{"manila", "sharev2", "api", "manila-api", 8786},
		{"designate", "dns", "api", "designate-api", 9001},
		{"heat", "orchestration", "api", "heat-api", 8004},
		{"heat", "cloudformation", "api", "heat-cfn", 8000},
		{"ironic", "baremetal", "api", "ironic-api", 6385},
		{"barbican", "key_manager", "api", "barbican-api", 9311},
		{"magnum", "container_infra", "api", "magnum-api", 9511},
		{"octavia", "load_balancer", "api", "octavia-api", 9876},
		{"skyline", "skyline", "api", "skyline-api", 9999},
		{"horizon", "dashboard", "web", "horizon-int", 80},
	} {
		const other = 7777
		path := "endpoints." + api.endpoint + ".port." + api.port
		ofService := path + ".service"
		if api.endpoint == "compute_metadata" {
			ofService = "network.metadata.port"
		}
		// with is the port of the Service then, and the warnings.
		with := func(ports string) (int32, string) {
			source := composed.Source("ovs", "lvm", "  profile = profile.written") +
				fmt.Sprintf("profile \"written\" {\n  service %q {\n    values = { endpoints = { %s = { port = { %s = { %s } } } } }\n  }\n}\n", api.service, api.endpoint, api.port, ports)
			m, ev := composed.Text(t, source)
			units, warnings := composed.Warned(t, m, ev, compose.Facts{})
			var told strings.Builder
			for _, w := range warnings {
				told.WriteString(w.Detail + "\n")
			}
			r := composed.Release(t, units, api.service)
			for _, document := range renderedBy(t, theirs(t, dir, api.service), r) {
				var service corev1.Service
				if strings.Contains(document, "kind: Service\n") && yaml.Unmarshal([]byte(document), &service) == nil && service.Name == api.name {
					return service.Spec.Ports[0].Port, told.String()
				}
			}
			t.Fatalf("%s has no Service %s", api.service, api.name)
			return 0, ""
		}
		both := fmt.Sprintf("default = %d, public = %d", other, other)
		if port, told := with(both); port != api.usual && port != other || strings.Contains(told, "counts for values."+ofService) != (port == api.usual) {
			t.Errorf("%s with %s: the Service has %d, and told is %q", path, both, port, told)
		}
		if port, told := with(fmt.Sprintf("service = %d", other)); port == other && !strings.Contains(told, ".service of "+api.service+" is ") {
			t.Errorf("%s with another one for the Service: that has %d, and told is %q", path, port, told)
		}
		if port, told := with(fmt.Sprintf("internal = %d", other)); !strings.Contains(told, ".internal of "+api.service+" is ") {
			t.Errorf("%s with another one inside: the Service has %d, and told is %q", path, port, told)
		}
	}
}
