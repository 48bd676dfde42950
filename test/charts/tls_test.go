//go:build beds

package charts_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
		"nova-novncproxy": "", "cinder-api": "cinder", "heat-api": "heat", "heat-cfn": "heat", "horizon-int": "horizon", "barbican-api": "", "manila-api": "", "designate-api": "", "ironic-api": "",
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
				seen, fronted, pods := map[string]int{}, 0, securedPods{asked: map[string]bool{}}
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
					pods.add(t, r.Name, objects)
					fronted += wantFronted(t, units, objects)
				}
				want := 0
				for _, service := range apis() {
					if _, speaks := units[`system.certificates["`+service+`"]`]; speaks {
						want++
					}
				}
				if fronted != want {
					t.Errorf("TLS ends before %d APIs, want %d", fronted, want)
				}
				if services == nil || slices.Contains(services, "keystone") {
					pods.checkTrust(t)
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

// part is what of the objects of a chart is looked at: a Service, or what makes pods.
type part struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Ports    []corev1.ServicePort
		Template corev1.PodTemplateSpec
		Selector any // of labels
	}
}

// selects tells whether the pods of something are behind a Service.
func (service *part) selects(w *part) bool {
	selector, _ := service.Spec.Selector.(map[string]any)
	for key, value := range selector {
		if w.Spec.Template.Labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

// wantFronted follows each Service of an API to its pods, and there from what ends TLS to the program beside it. It
// returns how many there are with TLS.
func wantFronted(t *testing.T, units map[string]unit.Unit, objects []string) int {
	t.Helper()
	var services, others []*part
	for _, object := range objects {
		kind := regexp.MustCompile(`(?m)^kind: (.*)$`).FindStringSubmatch(object)
		if kind == nil || !slices.Contains([]string{"Service", "Deployment", "StatefulSet", "DaemonSet"}, kind[1]) {
			continue
		}
		var w part
		if err := yaml.Unmarshal([]byte(object), &w); err != nil {
			t.Fatal(err)
		}
		if w.Kind == "Service" {
			services = append(services, &w)
		} else {
			others = append(others, &w)
		}
	}
	fronted := map[*part]bool{}
	found := 0
	for _, s := range services {
		service, isAPI := apis()[s.Metadata.Name]
		if !isAPI {
			continue
		}
		certificates, speaks := units[`system.certificates["`+service+`"]`]
		behind := 0
		for _, w := range others {
			if !s.selects(w) {
				continue
			}
			behind++
			if speaks {
				found++
				fronted[w] = true
				wantFront(t, s, w, certificates.Spec.(*unit.Objects))
				continue
			}
			for _, p := range s.Spec.Ports {
				if len(listening(w, "", targetOf(p))) == 0 {
					t.Errorf("%s leads to port %d, and no container of %s is there", s.Metadata.Name, targetOf(p), w.Metadata.Name)
				}
			}
		}
		if behind == 0 {
			t.Errorf("there is nothing behind %s", s.Metadata.Name)
		}
	}
	for _, w := range others {
		for _, c := range w.Spec.Template.Spec.Containers {
			if c.Name == front && !fronted[w] {
				t.Errorf("%s has what ends TLS, and nothing leads to it", w.Metadata.Name)
			}
		}
	}
	return found
}

// front is the name of the container that ends TLS.
const front = "tls"

// wantFront wants the way from a Service to its pods to be whole: its port leads to where nginx
// listens, which has the certificate of the Service, and hands on to where another container is.
func wantFront(t *testing.T, s, w *part, certificates *unit.Objects) {
	t.Helper()
	i := slices.IndexFunc(w.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Name == front })
	if i < 0 {
		t.Errorf("nothing ends TLS in the pods of %s", w.Metadata.Name)
		return
	}
	nginx := w.Spec.Template.Spec.Containers[i]
	number := func(of string) int32 {
		found := regexp.MustCompile(of).FindStringSubmatch(nginx.Env[0].Value)
		if found == nil {
			t.Fatalf("the nginx of %s has no %s", w.Metadata.Name, of)
		}
		n, err := strconv.ParseInt(found[1], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		return int32(n)
	}
	listens, program := number(`listen (\d+) ssl;`), number(`proxy_pass http://127\.0\.0\.1:(\d+);`)
	for _, p := range s.Spec.Ports {
		if targetOf(p) != listens {
			t.Errorf("%s leads to port %d, and the nginx of %s listens at %d", s.Metadata.Name, targetOf(p), w.Metadata.Name, listens)
		}
	}
	if names := listening(w, "", listens); !slices.Equal(names, []string{front}) {
		t.Errorf("at port %d of %s there are %v", listens, w.Metadata.Name, names)
	}
	if len(listening(w, front, program)) != 1 {
		t.Errorf("the nginx of %s hands on to port %d, and no container is there", w.Metadata.Name, program)
	}
	for _, c := range w.Spec.Template.Spec.Containers {
		for _, probe := range []*corev1.Probe{c.ReadinessProbe, c.LivenessProbe} {
			if probe == nil || probe.HTTPGet == nil {
				continue
			}
			if https := probe.HTTPGet.Scheme == corev1.URISchemeHTTPS; https != (c.Name == front) {
				t.Errorf("%s of %s is probed by %s", c.Name, w.Metadata.Name, probe.HTTPGet.Scheme)
			}
		}
	}
	if !hasCertificate(w, nginx, certificates, s.Metadata.Name) {
		t.Errorf("the nginx of %s has no certificate for %s", w.Metadata.Name, s.Metadata.Name)
	}
}

// hasCertificate tells whether a container has the Secret with the certificate for a name.
func hasCertificate(w *part, c corev1.Container, certificates *unit.Objects, name string) bool {
	for _, item := range certificates.Items {
		spec := item["spec"].(map[string]any)
		if !slices.Contains(spec["dnsNames"].([]any), any(name)) {
			continue
		}
		for _, v := range w.Spec.Template.Spec.Volumes {
			mounted := slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == v.Name })
			if mounted && v.Secret != nil && v.Secret.SecretName == spec["secretName"] {
				return true
			}
		}
	}
	return false
}

// listening are the containers with a port, but for one.
func listening(w *part, but string, port int32) []string {
	var names []string
	for _, c := range w.Spec.Template.Spec.Containers {
		if c.Name != but && slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == port }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// targetOf is where a port of a Service leads to.
func targetOf(p corev1.ServicePort) int32 {
	if p.TargetPort.IntValue() == 0 {
		return p.Port
	}
	return int32(p.TargetPort.IntValue())
}
