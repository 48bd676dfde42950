//go:build beds

package charts_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// trustSecret has the certificate of the authority.
const trustSecret = "kupenstack-tls-trust"

// silent are programs with the configuration of others that talk to no API with it. What makes the file of clouds for
// an exporter writes the authority down there itself.
func silent(container string) bool {
	return regexp.MustCompile(`^(.*-db-(init|sync|purge).*|glance-metadefs-load|nova-(novncproxy(-init)?|api-metadata-init)|clouds-yaml-gen|` +
		`neutron-((ovs|l3|dhcp)-agent(-init)?|metadata-agent-init|netns-cleanup-cron)|designate-(worker(-init)?|producer|mdns|service-cleaner))$`).MatchString(container)
}

// checkTrust wants whoever is told of a Keystone with TLS to be told of the authority, and to have its certificate.
func (w *securedPods) checkTrust(t *testing.T) {
	t.Helper()
	asked, told, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range w.pods {
		names[p.name] = true
		for _, c := range slices.Concat(p.spec.InitContainers, p.spec.Containers) {
			if address := variableOf(p, c, "OS_AUTH_URL"); strings.HasPrefix(address, "https:") && !silent(c.Name) {
				asked[p.release] = true
				file := variableOf(p, c, "OS_CACERT")
				if file == "" {
					t.Errorf("%s of %s (%s) asks Keystone, and knows no authority", c.Name, p.name, p.release)
				} else if !hasAuthority(p, c, file) {
					t.Errorf("%s of %s (%s) is told of the authority in %s, and that is not there", c.Name, p.name, p.release, file)
				}
			}
			for _, text := range configurationOf(p, c) {
				for _, section := range regexp.MustCompile(`(?m)^\[`).Split(text, -1) {
					if !regexp.MustCompile(`(?m)^(auth_url|auth_uri|www_authenticate_uri|auth_endpoint) = https:`).MatchString(section) {
						continue
					}
					told[p.release] = true
					name, _, _ := strings.Cut(section, "]")
					file := regexp.MustCompile(`(?m)^ca_?file = (\S+)$`).FindStringSubmatch(section)
					if file == nil {
						t.Errorf("%s of %s (%s) is told in %s of Keystone, and of no authority", c.Name, p.name, p.release, name)
					} else if !hasAuthority(p, c, file[1]) && !silent(c.Name) {
						t.Errorf("%s of %s (%s) is told in %s of the authority in %s, and that is not there", c.Name, p.name, p.release, name, file[1])
					}
				}
			}
		}
	}
	for _, job := range []string{"ks-service", "ks-endpoints", "ks-user"} { // which are not the charts' own, and are waited for
		for _, service := range []string{"designate", "ironic"} {
			if !names[service+"-"+job] {
				t.Errorf("there is no job %s-%s", service, job)
			}
		}
	}
	if len(asked) < 10 || len(told) < 8 {
		t.Errorf("so few talk to Keystone: by commands %v, as programs %v", slices.Sorted(maps.Keys(asked)), slices.Sorted(maps.Keys(told)))
	}
}

// hasAuthority tells whether a file of a container is the authority's certificate.
func hasAuthority(p securedPod, c corev1.Container, file string) bool {
	return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
		return m.MountPath == file && m.SubPath == "ca.crt" && slices.ContainsFunc(p.spec.Volumes, func(v corev1.Volume) bool {
			return v.Name == m.Name && v.Secret != nil && v.Secret.SecretName == trustSecret
		})
	})
}

// variableOf is a variable of a container, which may be a key of a Secret of its release; "" for none.
func variableOf(p securedPod, c corev1.Container, name string) string {
	for _, v := range c.Env {
		switch {
		case v.Name != name:
		case v.ValueFrom != nil && v.ValueFrom.SecretKeyRef != nil:
			return p.files[v.ValueFrom.SecretKeyRef.Name+"/"+v.ValueFrom.SecretKeyRef.Key]
		default:
			return v.Value
		}
	}
	return ""
}
