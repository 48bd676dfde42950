//go:build beds

package charts_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	corev1 "k8s.io/api/core/v1"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// apis are the Services of APIs by the service that they are of.
func apis() map[string]string {
	return map[string]string{
		"keystone-api": "keystone", "glance-api": "glance", "placement-api": "placement", "neutron-server": "neutron", "nova-api": "nova", "nova-metadata": "nova",
		"nova-novncproxy": "", "cinder-api": "cinder", "heat-api": "heat", "heat-cfn": "heat", "horizon-int": "horizon", "barbican-api": "", "manila-api": "",
	}
}

// TestOpenStackHelmTLS renders the charts of OpenStack-Helm with TLS inside: whoever is told of an API is told of the
// scheme that it speaks, and whoever is told of an authority has its certificate.
func TestOpenStackHelmTLS(t *testing.T) {
	dir := checkoutOfCharts(t)
	url := regexp.MustCompile(`(https?)://([a-z-]+)\.openstack\.svc`)
	for network, storage := range map[string]string{"ovs": "lvm", "ovn": "ceph"} {
		for _, services := range [][]string{nil, {"keystone"}, {"glance", "heat", "nova"}} {
			t.Run(fmt.Sprint(network, services), func(t *testing.T) {
				tls := `issuer = { name = "authority" }`
				if services != nil {
					tls += "\n" + `services = ["` + strings.Join(services, `", "`) + `"]`
				}
				m, ev := composed.Text(t, composed.Secured(network, storage, tls))
				units := composed.Compose(t, m, ev, compose.Facts{})
				seen := map[string]int{}
				for _, r := range releases(units) {
					objects := wantSound(t, dir, r)
					for _, found := range url.FindAllStringSubmatch(strings.Join(objects, "\n"), -1) {
						service, known := apis()[found[2]]
						if !known {
							continue
						}
						want := "http"
						if _, speaks := units[`system.certificates["`+service+`"]`]; speaks {
							want = "https"
						}
						if seen[found[0]]++; found[1] != want {
							t.Errorf("%s is told of %s, and that speaks %s", r.Name, found[0], want)
						}
					}
					wantProtocolOfMetadata(t, units, objects)
					for _, object := range objects {
						wantFronted(t, units, object)
					}
				}
				if len(seen) < 9 {
					t.Errorf("of so few APIs somebody is told: %v", seen)
				}
			})
		}
	}
}

// wantProtocolOfMetadata looks at what the agents of Neutron are told of Nova's metadata API.
func wantProtocolOfMetadata(t *testing.T, units map[string]unit.Unit, objects []string) {
	t.Helper()
	want := "http"
	if _, speaks := units[`system.certificates["nova"]`]; speaks {
		want = "https"
	}
	for _, found := range regexp.MustCompile(`(?m)^nova_metadata_protocol = (.*)$`).FindAllStringSubmatch(strings.Join(objects, "\n"), -1) {
		if found[1] != want {
			t.Errorf("the metadata of Nova is asked for by %s, and it speaks %s", found[1], want)
		}
	}
}

// wantFronted wants the pods behind a Service with TLS to have what ends it, with a probe of its own, and the program
// beside it to be probed without.
func wantFronted(t *testing.T, units map[string]unit.Unit, object string) {
	t.Helper()
	var o struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Ports    []corev1.ServicePort
			Template corev1.PodTemplateSpec
		}
	}
	if !strings.Contains(object, "\nkind: Service\n") && !strings.Contains(object, "\nkind: Deployment\n") {
		return
	}
	if err := yaml.Unmarshal([]byte(object), &o); err != nil {
		t.Fatal(err)
	}
	service, isAPI := apis()[o.Metadata.Name]
	_, speaks := units[`system.certificates["`+service+`"]`]
	if o.Kind == "Service" && isAPI {
		for _, p := range o.Spec.Ports {
			if to := p.TargetPort.IntValue() == 8443; to != speaks {
				t.Errorf("%s leads to %v, with TLS: %v", o.Metadata.Name, p.TargetPort, speaks)
			}
		}
		return
	}
	if o.Kind != "Deployment" {
		return
	}
	fronted := false
	for _, c := range o.Spec.Template.Spec.Containers {
		fronted = fronted || c.Name == "tls"
	}
	for _, c := range o.Spec.Template.Spec.Containers {
		for _, probe := range []*corev1.Probe{c.ReadinessProbe, c.LivenessProbe} {
			if !fronted || probe == nil || probe.HTTPGet == nil {
				continue
			}
			if https := probe.HTTPGet.Scheme == corev1.URISchemeHTTPS; https != (c.Name == "tls") {
				t.Errorf("%s of %s is probed by %s", c.Name, o.Metadata.Name, probe.HTTPGet.Scheme)
			}
		}
	}
}
