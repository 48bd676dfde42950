package convert

import (
	"fmt"
	"strconv"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// plane is an OpenStackControlPlane.
type plane struct{ document *document }

func (c *converter) readPlane(d *document) {
	if c.plane != nil {
		c.second(d, c.plane.document)
		return
	}
	c.plane = &plane{document: d}
	c.inNamespace(d)
	attribute := func(name string) func(field) {
		return func(f field) {
			if s, ok := c.checked(f, c.cloudAttribute(name)); ok {
				c.set(&c.cloud, name, strconv.Quote(s), f)
			}
		}
	}
	known := handlers{
		"region": attribute("region"), "storageBackend": attribute("storage_backend"),
		"networkBackend": func(f field) {
			if backend, ok := c.checked(f, c.cloudAttribute("network_backend")); ok {
				c.wantNetwork(backend, f)
			}
		},
		"tls": c.tls,
	}
	for name := range templates() {
		known[name] = func(f field) { c.addService(c.readTemplate(name, f, false)) }
	}
	c.fields(d.spec, "spec of OpenStackControlPlane", known)
}

// inNamespace takes the namespace of a document for that of the services.
func (c *converter) inNamespace(d *document) {
	if d.namespace != "" {
		c.set(&c.cloud, "namespace", strconv.Quote(d.namespace), field{key: "namespace", at: d.at})
	}
}

// wantNetwork notes which network backend is wanted.
func (c *converter) wantNetwork(backend string, f field) {
	c.set(&c.cloud, "network_backend", strconv.Quote(backend), f)
}

// tls makes the block of encryption inside, unless it is not wanted.
func (c *converter) tls(f field) {
	wanted, name, kind := true, "", ""
	kinds := model.IssuerKinds()
	c.fields(f.value, "tls", handlers{
		"enabled": func(inner field) {
			if on, ok := c.bool(inner); ok {
				wanted = on
			}
		},
		"issuerRef": func(inner field) {
			c.fields(inner.value, "issuerRef", handlers{
				"name": func(of field) { name, _ = c.issuerName(of) },
				"kind": func(of field) { kind, _ = c.oneOf(of, kinds...) },
				"group": func(of field) {
					if group, ok := c.string(of); ok && group != "" && group != "cert-manager.io" {
						wanted = false // the same name among other issuers would be somebody else
						c.noHome(of, "KupenStack has certificates of cert-manager's own issuers alone", "write issuer in the tls block of the cloud, with one of these")
					}
				},
			})
		},
	})
	if !wanted {
		return
	}
	if name == "" {
		c.noHome(f, "it says no issuer that signs the certificates, so the cloud would answer without TLS",
			`write in the cloud: tls { issuer = { name = "openstack-ca" } }`)
		return
	}
	if kind == "" {
		kind = "Issuer" // as cert-manager takes a reference without one
	}
	c.secured = &block{
		header: "tls", comments: f.comments,
		attributes: []attribute{{name: "issuer", expr: fmt.Sprintf("{ kind = %q, name = %q }", kind, name)}},
	}
}

// issuerName reads the name of an issuer.
func (c *converter) issuerName(f field) (string, bool) {
	s, ok := c.string(f)
	if !ok || s == "" {
		return "", false
	}
	if err := schema.FormatDNSName.Check(s); err != nil {
		c.wrong(f, err.Error(), "write, for example: name: openstack-ca")
		return "", false
	}
	return s, true
}

// readService reads the kinds that have one service each.
func (c *converter) readService(name string) func(*document) {
	return func(d *document) {
		spec := d.spec
		if spec == nil {
			spec = &value{form: mapping, at: d.at}
		}
		c.inNamespace(d)
		c.addService(c.readTemplate(name, field{key: d.kind, value: spec, at: d.at, comments: d.comments}, false))
	}
}

// readOVN reads an OVNNetwork, which says by being there that the network is OVN's.
func (c *converter) readOVN(d *document) {
	c.inNamespace(d)
	from := field{key: d.kind, at: d.at}
	c.wantNetwork(networkOVN, from)
	if _, known := c.definition.Service(networkOVN); known {
		c.addService(&service{name: networkOVN, from: from, comments: d.comments})
	}
	if d.spec == nil || d.spec.form != mapping {
		c.fields(d.spec, "spec of OVNNetwork", nil)
		return
	}
	for _, f := range d.spec.fields {
		c.noHome(f, "an OVNNetwork becomes service \"ovn\", and nothing is known of how this field is meant", "write it in values of the service, as the chart of OVN takes it")
	}
}

const networkOVN = "ovn"
