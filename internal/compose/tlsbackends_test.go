package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const (
	noAPIs       = "\n    services = []"
	bothBackends = "\n    backends = [\"rabbitmq\", \"mariadb\"]"
)

// TestTLSOfBackends tells servers and clients of the certificates, and nobody of what is plain.
func TestTLSOfBackends(t *testing.T) {
	m, ev := composed.Text(t, composed.Without(composed.Secured("ovn", "ceph", issued+noAPIs+bothBackends), "designate", "ironic", "manila"))
	units := composed.Compose(t, m, ev, compose.Facts{})
	const issuer = `{"group":"cert-manager.io","kind":"ClusterIssuer","name":"authority"}`
	const ofDatabase = "endpoints.oslo_db.host_fqdn_override.default.tls"
	for service, want := range map[string]map[string]string{
		"mariadb": {ofDatabase + ".issuerRef": issuer, ofDatabase + ".usages": `["server auth","client auth"]`, ofDatabase + ".secretName": `"mariadb-tls-direct"`, "manifests.certificates": "true"},
		"rabbitmq": {
			"endpoints.oslo_messaging.host_fqdn_override.default.tls.issuerRef": issuer, "manifests.certificates": "true",
			"conf.rabbitmq.ssl_options.verify": `"verify_peer"`, "conf.rabbitmq.ssl_options.fail_if_no_peer_cert": "true", "conf.rabbitmq.ssl_options.cacertfile": `"/etc/rabbitmq/certs/ca.crt"`,
		},
		"nova": {
			ofDatabase + ".issuerRef": issuer, ofDatabase + ".usages": `["client auth"]`, ofDatabase + ".duration": `"87600h"`, "tls.oslo_db": "true", "tls.oslo_messaging": "true",
			"conf.nova.oslo_messaging_rabbit.ssl": "true", "conf.nova.oslo_messaging_rabbit.ssl_ca_file": `"/etc/rabbitmq/certs/ca.crt"`,
		},
		"placement":                 {"tls.oslo_db": "true", "tls.oslo_messaging": "null", "conf.placement": "null"},
		"mariadb-backup":            {"manifests.certificates": "true", ofDatabase: "null"},
		"prometheus-mysql-exporter": {"manifests.certificates": "true"},
		"memcached":                 {"manifests": "null"},
		"libvirt":                   {"tls": "null"},
	} {
		for path, value := range want {
			if got := compact(at(composed.Release(t, units, service).Values, strings.Split(path, "."))); got != value {
				t.Errorf("%s: %s is %s, want %s", service, path, got, value)
			}
		}
	}
	if got := compact(at(composed.Release(t, units, "heat").Values, []string{"pod", "mounts", "heat_cfn", "heat_cfn", "volumeMounts"})); strings.Count(got, "client-certs") != 6 {
		t.Errorf("what the chart of Heat forgets to mount is %s", got)
	}
	for service, want := range map[string]string{
		"mariadb": "ClusterIssuer/authority for mariadb", "nova": "ClusterIssuer/authority for mariadb and rabbitmq",
		"placement": "ClusterIssuer/authority for mariadb", "rabbitmq": "ClusterIssuer/authority for rabbitmq",
	} {
		if got := units["service."+service].Fixed["tls"]; got != want {
			t.Errorf("%s is fixed to %q, want %q", service, got, want)
		}
	}
	m, ev = composed.Text(t, composed.Without(composed.Secured("ovn", "ceph", issued+"\n    backends = [\"rabbitmq\"]"), "designate", "ironic"))
	all := composed.Compose(t, m, ev, compose.Facts{})
	if got := all["service.keystone"].Fixed["tls"]; got != "ClusterIssuer/authority, with rabbitmq" {
		t.Errorf("with APIs that speak TLS keystone is fixed to %q", got)
	}
	for path, want := range map[string]string{"tls.oslo_db": "null", "tls.oslo_messaging": "true", "secrets.tls.ca": `"kupenstack-tls-trust"`} {
		if got := compact(at(composed.Release(t, all, "manila").Values, strings.Split(path, "."))); strings.HasPrefix(path, "tls.") && got != want {
			t.Errorf("manila: %s is %s, want %s", path, got, want)
		}
	}
}

// TestBackendsInVain refuses services that could not reach the servers any more, and what would have them plain.
func TestBackendsInVain(t *testing.T) {
	refused := func(source string) string {
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			told = append(told, fmt.Sprintf("%s %v: %s", d.Code, d.Address, d.Detail))
		}
		return strings.Join(told, "\n")
	}
	cloud := func(backends string) string {
		return composed.Source("ovn", "ceph", "  tls {\n"+issued+noAPIs+"\n    backends = [\""+backends+"\"]\n  }")
	}
	for backends, want := range map[string][]string{
		"mariadb":  {"designate", "ironic", "magnum", "manila", "octavia", "skyline"},
		"rabbitmq": {"designate", "ironic", "magnum", "octavia"},
	} {
		got := refused(cloud(backends))
		if n := len(strings.Split(got, "\n")); n != len(want) {
			t.Errorf("%s: %s", backends, got)
		}
		for _, service := range want {
			if line := fmt.Sprintf("compose.trust service.%s: the chart of %s has no place for the certificate of a client, and tls has %s ask for one", service, service, backends); !strings.Contains(got, line) {
				t.Errorf("%s: %s is not among\n%s", backends, line, got)
			}
		}
	}
	small := `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  tls {
` + issued + noAPIs + `
    backends = ["mariadb"]
  }
  service "memcached" {}
  %s
}`
	if got, want := refused(fmt.Sprintf(small, "")), "tls has mariadb speak TLS, and the cloud has no such service"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	plain := fmt.Sprintf(small, "service \"mariadb\" {}\n  service \"rabbitmq\" {}\n  service \"keystone\" {\n    values = { tls = { oslo_db = false } }\n  }")
	if got, want := refused(plain), "tls sets values.tls.oslo_db of keystone to true"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
