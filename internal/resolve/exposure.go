package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// exposure reads how APIs are reached from outside the cluster.
func (r *resolver) exposure(b *config.Block) *model.Exposure {
	r.excludes(b)
	e := &model.Exposure{
		Domain: r.text(b, "domain"), Hosts: r.texts(b, "hosts", nil), Class: r.text(b, "ingress_class"), TLS: r.truth(b, "tls", true),
		Certificate: r.text(b, "certificate"), Annotations: r.texts(b, "annotations", nil), Range: b.Range, Ranges: ranges(b),
	}
	if fields := r.fields(b, "gateway"); fields != nil && r.named(b, "gateway", fields) {
		e.Gateway = &model.Gateway{Name: fields["name"], Namespace: fields["namespace"], Listener: fields["listener"]}
	}
	e.Issuer = r.issuer(b)
	return e
}

// issuer reads what signs certificates; nil when there is none, or when it is wrong.
func (r *resolver) issuer(b *config.Block) *model.Issuer {
	fields := r.fields(b, "issuer")
	if fields == nil || !r.named(b, "issuer", fields) {
		return nil
	}
	kinds := model.IssuerKinds()
	issuer := &model.Issuer{Kind: fields["kind"], Name: fields["name"]}
	switch {
	case !has(fields, "kind"):
		issuer.Kind = kinds[0]
	case !slices.Contains(kinds, issuer.Kind):
		a := b.Attribute("issuer")
		r.scope.wrong(codeValue, a, "no such issuer", fmt.Sprintf("kind must be %s, and this is %q", strings.Join(kinds, " or "), issuer.Kind), config.Example(a.Schema))
	}
	return issuer
}

// interfaceUnsaid warns that the names which exposure gives are those that we use ourselves. Before there were
// such names the public endpoints led to the services inside, and a daemon in the cluster may not know the names.
func (r *resolver) interfaceUnsaid(openstack *config.Block) {
	r.scope.add(diag.Diagnostic{
		Severity: diag.Warning, Code: codeInterface, Subject: &openstack.Range, Summary: "which endpoints are used is not said",
		Detail: "the cloud is exposed, so the public endpoints lead to the names of exposure, and those are used when no interface is written; a daemon inside of the cluster may not reach them",
		Hint:   `write interface = "internal" in openstack, or "public" where the names and their certificates are known to whoever runs KupenStack`,
	})
}

// named tells whether an object has a name, which its type cannot ask for where null is written, and reports it.
func (r *resolver) named(b *config.Block, attribute string, fields map[string]string) bool {
	if fields["name"] != "" {
		return true
	}
	a := b.Attribute(attribute)
	r.scope.wrong(codeValue, a, "value is missing", attribute+" must have a name", config.Example(a.Schema))
	return false
}

func has(fields map[string]string, name string) bool {
	_, ok := fields[name]
	return ok
}

// fields evaluates an attribute that is an object of strings which are shown: those that are written, and nil
// when there is no object.
func (r *resolver) fields(b *config.Block, name string) map[string]string {
	a := b.Attribute(name)
	if a == nil {
		return nil
	}
	v, ok := r.shown(a)
	if !ok || v.IsNull() || !v.IsKnown() {
		return nil
	}
	fields := map[string]string{}
	for field, value := range v.AsValueMap() {
		if value.Type() == cty.String && value.IsKnown() && !value.IsNull() {
			fields[field] = value.AsString()
		}
	}
	return fields
}
