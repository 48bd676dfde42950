//go:build beds

package charts_test

import (
	"encoding/base64"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	corev1 "k8s.io/api/core/v1"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmTLSOfBackends renders the charts of OpenStack-Helm with TLS of MariaDB and RabbitMQ: each program that
// is told of a certificate has it, from a Secret that cert-manager is asked for.
func TestOpenStackHelmTLSOfBackends(t *testing.T) {
	dir := checkoutOfCharts(t)
	for _, c := range []struct {
		network, storage string
		servers          []string
	}{
		{"ovs", "lvm", []string{"mariadb", "rabbitmq"}},
		{"ovn", "ceph", []string{"mariadb"}},
		{"ovn", "ceph", []string{"rabbitmq"}},
	} {
		t.Run(fmt.Sprint(c.network, c.servers), func(t *testing.T) {
			database, broker := slices.Contains(c.servers, "mariadb"), slices.Contains(c.servers, "rabbitmq")
			source := composed.Secured(c.network, c.storage, "issuer = { name = \"authority\" }\nservices = []\nbackends = [\""+strings.Join(c.servers, `", "`)+`"]`)
			source = composed.Without(source, "designate", "ironic")
			if database {
				source = composed.Without(source, "manila")
			}
			m, ev := composed.Text(t, source)
			w := securedPods{asked: map[string]bool{}}
			for _, r := range releases(composed.Compose(t, m, ev, compose.Facts{})) {
				w.add(t, r.Name, wantSound(t, dir, r))
			}
			w.check(t, database, broker)
		})
	}
}

// elsewhere are programs that are told of a server and never go there, by the server: agents and Heat's APIs do all by
// messages, jobs that make databases, keys or entries of the catalogue send none.
func elsewhere(directory, container string) bool {
	jobs := `bootstrap|.*-fernet-(setup|rotate)|.*-credential-setup|keystone-domain-manage|neutron-netns-cleanup-cron`
	if directory == "/etc/mysql/certs" {
		return regexp.MustCompile(`^(` + jobs + `|heat-api|neutron-.*-agent|neutron-sriov-.*)$`).MatchString(container)
	}
	return regexp.MustCompile(`^(` + jobs + `|.*-db-(init|sync|purge).*|.*-credential-rotate|nova-cell-setup|glance-metadefs-load|heat-purge-deleted|heat-engine-cleaner)$`).MatchString(container)
}

// securedPods are all pods of a cloud, with what they are configured with.
type securedPods struct {
	pods  []securedPod
	asked map[string]bool // Secrets that Certificates ask for
}

// securedPod is what makes pods of a release, and the files in the ConfigMaps and Secrets of that, by object and key.
type securedPod struct {
	release, name string
	spec          corev1.PodSpec
	files         map[string]string
}

func (w *securedPods) add(t *testing.T, release string, objects []string) {
	t.Helper()
	files := map[string]string{}
	for _, object := range objects {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
			Data     map[string]string
			Spec     struct {
				SecretName  string
				IssuerRef   struct{ Kind, Name string }
				Template    corev1.PodTemplateSpec
				JobTemplate struct {
					Spec struct{ Template corev1.PodTemplateSpec }
				}
			}
		}
		if kind := regexp.MustCompile(`(?m)^kind: (.*)$`).FindStringSubmatch(object); kind == nil ||
			!slices.Contains([]string{"ConfigMap", "Secret", "Certificate", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"}, kind[1]) {
			continue
		}
		if secret := regexp.MustCompile(`(?s)\nkind: Secret\n.*?\n  name: (\S+)\n`).FindStringSubmatch(object); secret != nil { // what it holds follows the object
			for _, found := range regexp.MustCompile(`(?m)^  (\S+): "?([A-Za-z0-9+/=]+)"?$`).FindAllStringSubmatch(object, -1) {
				if text, err := base64.StdEncoding.DecodeString(found[2]); err == nil {
					files[strings.Trim(secret[1], `"`)+"/"+found[1]] = string(text)
				}
			}
			continue
		}
		if err := yaml.Unmarshal([]byte(object), &o); err != nil {
			t.Fatal(err)
		}
		switch o.Kind {
		case "ConfigMap":
			for key, text := range o.Data {
				files[o.Metadata.Name+"/"+key] = text
			}
		case "Certificate":
			if o.Spec.IssuerRef.Kind != "ClusterIssuer" || o.Spec.IssuerRef.Name != "authority" {
				t.Errorf("%s is asked of %v", o.Metadata.Name, o.Spec.IssuerRef)
			}
			w.asked[o.Spec.SecretName] = true
		case "CronJob":
			w.pods = append(w.pods, securedPod{release, o.Metadata.Name, o.Spec.JobTemplate.Spec.Template.Spec, files})
		default:
			w.pods = append(w.pods, securedPod{release, o.Metadata.Name, o.Spec.Template.Spec, files})
		}
	}
}

// check follows what programs are told of certificates to the Secrets, and wants the clients of each server told.
func (w *securedPods) check(t *testing.T, database, broker bool) {
	t.Helper()
	told := map[string]map[string]bool{"/etc/mysql/certs": {}, "/etc/rabbitmq/certs": {}}
	for _, p := range w.pods {
		for _, c := range p.spec.Containers { // those before them prepare files
			for _, text := range configurationOf(p, c) {
				for _, file := range regexp.MustCompile(`/etc/(?:mysql|rabbitmq)/certs/(?:ca\.crt|tls\.crt|tls\.key)`).FindAllString(text, -1) {
					told[path.Dir(file)][p.release] = true
					secret := secretAt(p, c, file)
					if secret == "" && elsewhere(path.Dir(file), c.Name) {
						continue
					} else if secret == "" {
						t.Errorf("%s of %s (%s) is told of %s, and nothing is there", c.Name, p.name, p.release, file)
					} else if !w.asked[secret] {
						t.Errorf("%s of %s has the Secret %s, and no Certificate asks for it", c.Name, p.name, secret)
					}
				}
				if line := regexp.MustCompile(`(?m)^connection = mysql\+pymysql://.*$`).FindString(text); database && line != "" && !strings.Contains(line, "ssl_ca=") {
					t.Errorf("%s of %s reaches MariaDB without a certificate", c.Name, p.name)
				}
				if rabbit := strings.Contains(text, "transport_url = rabbit://"); broker && rabbit && !strings.Contains(text, "ssl_ca_file = /etc/rabbitmq/certs/ca.crt") {
					t.Errorf("%s of %s reaches RabbitMQ without a certificate", c.Name, p.name)
				}
			}
		}
	}
	for _, p := range w.pods {
		for object, text := range p.files {
			if listens := strings.Contains(text, "listeners.ssl.1 = 5672") && strings.Contains(text, "listeners.tcp = none") && strings.Contains(text, "ssl_options.fail_if_no_peer_cert = true"); object == "rabbitmq-rabbitmq-etc/rabbitmq.conf" && listens != broker {
				t.Errorf("RabbitMQ speaks TLS alone: %v", listens)
			}
		}
	}
	for directory, wanted := range map[string]bool{"/etc/mysql/certs": database, "/etc/rabbitmq/certs": broker} {
		if n := len(told[directory]); wanted && n < 8 || !wanted && n > 0 {
			t.Errorf("%s is told to %v", directory, told[directory])
		}
	}
}

// configurationOf are the files of configuration that a container has, but for programs, which ask whether there are
// certificates.
func configurationOf(p securedPod, c corev1.Container) []string {
	var texts []string
	for _, m := range c.VolumeMounts {
		i := slices.IndexFunc(p.spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		if i < 0 || !regexp.MustCompile(`\.(conf|cnf)$`).MatchString(m.MountPath) {
			continue
		}
		object := ""
		switch v := p.spec.Volumes[i]; {
		case v.ConfigMap != nil:
			object = v.ConfigMap.Name
		case v.Secret != nil:
			object = v.Secret.SecretName
		}
		if text, ok := p.files[object+"/"+m.SubPath]; ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// secretAt is the Secret that a container has a file of; "" for none.
func secretAt(p securedPod, c corev1.Container, file string) string {
	for _, m := range c.VolumeMounts {
		if m.MountPath != file && m.MountPath != path.Dir(file) {
			continue
		}
		for _, v := range p.spec.Volumes {
			if v.Name == m.Name && v.Secret != nil && (m.SubPath == "" || m.SubPath == path.Base(file)) {
				return v.Secret.SecretName
			}
		}
	}
	return ""
}
