package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// The servers behind the APIs that can speak TLS: their charts have a certificate made for them, and those of their
// clients one for each client, which both servers ask for.
const (
	databaseService = "mariadb"
	brokerService   = "rabbitmq"
)

// Where the charts put certificates in pods of both sides.
const (
	databaseCertificates = "/etc/mysql/certs/"
	brokerCertificates   = "/etc/rabbitmq/certs/"
)

// certificateLife is for how long the certificates of servers and clients are: programs read them when they start, and
// pods do not see another one that cert-manager writes. It is ten years, as nobody replaces all pods every two months.
const certificateLife = "87600h"

// backendSpeaksTLS tells whether one of the servers does.
func backendSpeaksTLS(m *model.Model, server string) bool {
	return m.Cloud.TLS != nil && slices.Contains(m.Cloud.TLS.Backends, server) && deployed(m, server)
}

// plainClients are the services whose charts have no place for the certificate of a client, by the servers that ask for
// one. Those of Manila and Skyline have their users need it, and leave it out of how they connect.
func plainClients() map[string][]string {
	both := []string{databaseService, brokerService}
	return map[string][]string{"designate": both, "ironic": both, "magnum": both, "octavia": both, "manila": {databaseService}, "skyline": {databaseService}}
}

// borrowers are the services that reach the database with its own certificate.
func borrowers() []string { return []string{"mariadb-backup", "prometheus-mysql-exporter"} }

// backendsOfTLS are the servers with TLS that a service is or talks to.
func backendsOfTLS(service string, m *model.Model) []string {
	var found []string
	a := accounts()[service]
	for server, uses := range map[string]bool{
		databaseService: len(a.databases) > 0 || slices.Contains(borrowers(), service) || service == databaseService,
		brokerService:   a.broker || service == brokerService,
	} {
		if uses && backendSpeaksTLS(m, server) {
			found = append(found, server)
		}
	}
	slices.Sort(found)
	return found
}

// usesBackends tells whether a service is or talks to a server that can speak TLS.
func usesBackends(service string) bool {
	a := accounts()[service]
	return len(a.databases) > 0 || a.broker || slices.Contains(borrowers(), service) || slices.Contains([]string{databaseService, brokerService}, service)
}

// backendTLSValues are what the chart of a service has to know of the TLS of the servers behind the APIs.
func backendTLSValues(service string, m *model.Model) []setting {
	servers := slices.DeleteFunc(backendsOfTLS(service, m), func(server string) bool { return slices.Contains(plainClients()[service], server) })
	switch {
	case len(servers) == 0:
		return nil
	case slices.Contains(borrowers(), service):
		return []setting{{path: "manifests.certificates", value: true}}
	case service == databaseService:
		return databaseTLS(m)
	case service == brokerService:
		return brokerTLS(m)
	}
	list := certificateValues("oslo_db", "client auth", m) // that of the client, for both servers
	if slices.Contains(servers, databaseService) {
		list = append(list, setting{path: "tls.oslo_db", value: true})
	}
	if slices.Contains(servers, brokerService) {
		rabbit := "conf." + service + ".oslo_messaging_rabbit."
		list = append(
			list, setting{path: "tls.oslo_messaging", value: true}, setting{path: "endpoints.oslo_messaging.port.https.default", value: brokerManagement},
			setting{path: rabbit + "ssl", value: true}, setting{path: rabbit + "ssl_ca_file", value: brokerCertificates + "ca.crt"},
			setting{path: rabbit + "ssl_cert_file", value: brokerCertificates + "tls.crt"}, setting{path: rabbit + "ssl_key_file", value: brokerCertificates + "tls.key"},
		)
	}
	return append(list, mountValues(service, servers)...)
}

// certificateValues are of the Certificate that a chart has cert-manager make.
func certificateValues(endpoint, usage string, m *model.Model) []setting {
	at, issuer := "endpoints."+endpoint+".host_fqdn_override.default.tls.", m.Cloud.TLS.Issuer
	return []setting{
		{path: at + "issuerRef", value: map[string]any{"group": "cert-manager.io", "kind": issuer.Kind, "name": issuer.Name}},
		{path: at + "usages", value: []any{usage}},
		{path: at + "duration", value: certificateLife},
	}
}

// databaseTLS has MariaDB speak TLS. Its users are made to need a certificate. Nodes log in to each other as clients.
func databaseTLS(m *model.Model) []setting {
	const container = "pod.security_context.server.container."
	list := certificateValues("oslo_db", "server auth", m)
	list[1].value = []any{"server auth", "client auth"}
	return append(
		list, setting{path: "endpoints.oslo_db.host_fqdn_override.default.tls.secretName", value: "mariadb-tls-direct"},
		setting{path: "manifests.certificates", value: true},
		// As OpenStack-Helm has it for a server with certificates.
		setting{path: container + "perms.readOnlyRootFilesystem", value: false}, setting{path: container + "mariadb.readOnlyRootFilesystem", value: false},
		setting{path: container + "mariadb.runAsUser", value: int64(0)}, setting{path: container + "mariadb.allowPrivilegeEscalation", value: true},
	)
}

// brokerManagement is the port of RabbitMQ's management with TLS.
const brokerManagement = int64(15680)

// brokerTLS has RabbitMQ speak TLS, and nothing else, with clients that have a certificate.
func brokerTLS(m *model.Model) []setting {
	list := append(
		certificateValues("oslo_messaging", "server auth", m),
		setting{path: "endpoints.oslo_messaging.host_fqdn_override.default.tls.secretName", value: "rabbitmq-tls-direct"},
		setting{path: "endpoints.oslo_messaging.port.https.default", value: brokerManagement},
		setting{path: "manifests.certificates", value: true},
		setting{path: "conf.rabbitmq.ssl_options.verify", value: "verify_peer"}, setting{path: "conf.rabbitmq.ssl_options.fail_if_no_peer_cert", value: true},
	)
	list[1].value = []any{"server auth", "client auth"} // the chart's own jobs use it
	for _, of := range []string{"ssl_options", "management.ssl"} {
		for key, file := range map[string]string{"cacertfile": "ca.crt", "certfile": "tls.crt", "keyfile": "tls.key"} {
			list = append(list, setting{path: "conf.rabbitmq." + of + "." + key, value: brokerCertificates + file})
		}
	}
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.path, b.path) })
	return list
}

// forgottenMount are pods that have the configuration which names the files, and not the files: the chart mounts them in
// all others.
type forgottenMount struct {
	pods    string
	servers []string // that what runs there talks to
	volume  bool     // the chart has not even that
}

func forgottenMounts() map[string][]forgottenMount {
	return map[string][]forgottenMount{
		"keystone": {{"keystone_credential_rotate", []string{databaseService}, true}},
		"nova":     {{"nova_api_metadata", []string{brokerService}, false}},
		"heat":     {{"heat_cfn", []string{databaseService, brokerService}, true}},
	}
}

// mountValues mount the certificate of a client of some servers where its chart forgets to.
func mountValues(service string, servers []string) []setting {
	const volume = "client-certs" // as the charts call it
	directories := map[string]string{databaseService: databaseCertificates, brokerService: brokerCertificates}
	var list []setting
	for _, f := range forgottenMounts()[service] {
		var mounts []any
		for _, server := range f.servers {
			if !slices.Contains(servers, server) {
				continue
			}
			for _, file := range []string{"tls.crt", "tls.key", "ca.crt"} {
				mounts = append(mounts, map[string]any{"name": volume, "mountPath": directories[server] + file, "subPath": file, "readOnly": true})
			}
		}
		if len(mounts) == 0 {
			continue
		}
		of := "pod.mounts." + f.pods + "." + f.pods + "."
		list = append(list, setting{path: of + "volumeMounts", value: mounts})
		if f.volume {
			secret := map[string]any{"secretName": service + "-client", "defaultMode": int64(0o444)}
			list = append(list, setting{path: of + "volumes", value: []any{map[string]any{"name": volume, "secret": secret}}})
		}
	}
	return list
}

// tlsBackends tells of servers that the cloud has not, and of services that could not reach them any more.
func (c *composer) tlsBackends() {
	t := c.m.Cloud.TLS
	if t == nil {
		return
	}
	for _, server := range t.Backends {
		if s := c.m.Service(server); s == nil {
			c.fail(codeMissing, t.Ranges["backends"], noAddress(), "a service is missing", fmt.Sprintf("tls has %s speak TLS, and the cloud has no such service", server),
				fmt.Sprintf("take it out of backends, or write in the cloud: service %q {}", server))
		}
	}
	for i := range c.m.Cloud.Services {
		s := &c.m.Cloud.Services[i]
		servers := slices.DeleteFunc(backendsOfTLS(s.Name, c.m), func(server string) bool { return !slices.Contains(plainClients()[s.Name], server) })
		if len(servers) == 0 || !s.Enabled {
			continue
		}
		c.diags.Append(diag.Diagnostic{
			Code: codeTrust, Subject: &s.Range, Address: s.Address, Summary: "servers that it could not talk to",
			Detail: fmt.Sprintf("the chart of %s has no place for the certificate of a client, and tls has %s ask for one", s.Name, strings.Join(servers, " and ")),
			Hint:   fmt.Sprintf("take %s out of the cloud, or %s out of backends", s.Name, strings.Join(servers, " and ")),
		})
	}
}
