package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The units of certificates: of the APIs of a service, by its name as the key, and of the authority.
const (
	certificatesUnit = "certificates"
	trustUnit        = "trust"
)

// FixedTLS is what is fixed of a service once it is deployed besides its attributes: who signs for its APIs.
const FixedTLS = "tls"

// signedBy says who signs for the APIs of a service, and for itself and the servers behind it, "" where nothing of that
// speaks TLS.
func (c *composer) signedBy(service string) string {
	behind := backendsOfTLS(service, c.m)
	if !speaksTLS(c.m, service) && len(behind) == 0 {
		return ""
	}
	issuer := c.m.Cloud.TLS.Issuer
	by := issuer.Kind + "/" + issuer.Name
	switch {
	case len(behind) == 0:
		return by
	case speaksTLS(c.m, service):
		return by + ", with " + strings.Join(behind, " and ")
	default:
		return by + " for " + strings.Join(behind, " and ")
	}
}

// tls adds the certificates. Services wait for them: without cert-manager they are blocked, and nothing is begun.
func (c *composer) tls() {
	c.tlsServices()
	c.tlsBackends()
	if !secured(c.m) {
		return
	}
	c.distrusted()
	inside := func(host string) []any {
		namespace := c.m.Cloud.Namespace
		return []any{host, host + "." + namespace, host + "." + namespace + ".svc"}
	}
	// Nobody can use the key of this one for anything, as no service has its name.
	c.certify(systemAddress(trustUnit), c.certificate(trustName, inside(trustName)[2:], "client auth"))
	for i := range c.m.Cloud.Services {
		s := &c.m.Cloud.Services[i]
		if !speaksTLS(c.m, s.Name) {
			continue
		}
		domain, ok := get(c.written[s.Name], "endpoints.cluster_domain_suffix").(string)
		if !ok {
			domain = "cluster.local"
		}
		var items []map[string]any
		for _, f := range fronts()[s.Name] {
			names := inside(f.api.host)
			items = append(items, c.certificate(certificateOf(f.api), append(names, fmt.Sprintf("%s.%s", names[2], domain)), "server auth"))
		}
		c.certify(certificatesAddress(s.Name), items...)
	}
}

func certificatesAddress(service string) addr.Object {
	return systemAddress(certificatesUnit).WithKey(addr.StringKey(service))
}

func (c *composer) certify(address addr.Object, items ...map[string]any) {
	c.add(unit.Unit{
		Address: address, Class: unit.ClassSystem, Range: c.m.Cloud.TLS.Range, Spec: &unit.Objects{Items: items},
		Edges: []unit.Edge{{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart}},
	})
}

// certificate is one of cert-manager: https://cert-manager.io/docs/usage/certificate/.
func (c *composer) certificate(name string, names []any, usage string) map[string]any {
	issuer := c.m.Cloud.TLS.Issuer
	return map[string]any{
		"apiVersion": "cert-manager.io/v1", "kind": "Certificate",
		"metadata": map[string]any{"name": name, "namespace": c.m.Cloud.Namespace},
		"spec": map[string]any{
			"secretName": name, "dnsNames": names, "usages": []any{usage},
			"issuerRef": map[string]any{"group": "cert-manager.io", "kind": issuer.Kind, "name": issuer.Name},
		},
	}
}

// tlsEdges have a service wait for the certificates that its pods have.
func (c *composer) tlsEdges(service string) []unit.Edge {
	var edges []unit.Edge
	if speaksTLS(c.m, service) {
		edges = append(edges, unit.Edge{To: certificatesAddress(service), Until: unit.Ready, Gate: unit.GateStart})
	}
	if _, clients := trust()[service]; clients && secured(c.m) {
		edges = append(edges, unit.Edge{To: systemAddress(trustUnit), Until: unit.Ready, Gate: unit.GateStart})
	}
	return edges
}

// distrusted tells of services that could talk to no API any more. Horizon is none that they talk to.
func (c *composer) distrusted() {
	if !slices.ContainsFunc(c.m.Cloud.Services, func(s model.Service) bool { return s.Name != "horizon" && speaksTLS(c.m, s.Name) }) {
		return
	}
	for _, name := range untrusting() {
		if c.deployed(name) {
			s := c.m.Service(name)
			c.fail(codeTrust, s.Range, s.Address, "APIs that it could not talk to",
				fmt.Sprintf("the chart of %s cannot be told which authority to trust, and tls has APIs speak TLS with certificates of one", name),
				fmt.Sprintf("take %s out of the cloud, or tls", name))
		}
	}
}
