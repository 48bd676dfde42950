package schema

import "github.com/zclconf/go-cty/cty"

// exposureBlock is a file of its own, as that of the cloud is long.
func exposureBlock() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: "exposure", Class: ClassPart,
		Doc: "How APIs and dashboards are reached from outside the cluster: each at a name of its own, through an Ingress or an HTTPRoute with the name of the Service that it leads to. The public endpoints in Keystone's catalogue are these names. Without it they are the Services inside the cluster. Who talks to OpenStack from inside, as KupenStack does, uses the public endpoints too unless interface = \"internal\" is written in openstack. The controller that serves them, and the DNS, have to be there. Charts before those of August 2026 may bring Ingresses of the same names: switch these off in values. Taking the block away, or going from Ingresses to a Gateway, deletes as many objects as there are APIs at once, which --max-deletes has to allow.",
		Attributes: []Attribute{
			{
				Name: "domain", Type: cty.String, Presence: Required, AtLoad: true, Format: FormatDomain, Example: cty.StringVal("cloud.example.org"),
				Doc: "What the names are in: keystone.DOMAIN, nova.DOMAIN and so on, novncproxy for the consoles of instances and cloudformation for the second API of Heat.",
			},
			{
				Name: "hosts", Type: cty.Map(cty.String), AtLoad: true, Format: FormatDomain,
				Example: cty.MapVal(map[string]cty.Value{"horizon": cty.StringVal("dashboard.example.org")}),
				Doc:     "Names that are not those in the domain, by what they would begin with there.",
			},
			{
				Name: "ingress_class", Type: cty.String, AtLoad: true, Format: FormatDNSName, Conflicts: "gateway", Example: cty.StringVal("nginx"),
				Doc: "The class of the Ingresses, which says which controller serves them. Either this or gateway is required.",
			},
			{
				Name: "gateway", Type: gatewayType(), AtLoad: true, Conflicts: "ingress_class",
				Fields:  map[string]Format{"name": FormatDNSName, "namespace": FormatDNSLabel, "listener": FormatDNSName},
				Example: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("public"), "namespace": cty.StringVal("gateways")}),
				Doc:     "The Gateway that HTTPRoutes are attached to, by its name, its namespace, which is that of the cloud unless written, and perhaps one listener of it. Its listeners have the certificates, and must take routes from the namespace of the cloud.",
			},
			{
				Name: "tls", Type: cty.Bool, AtLoad: true, Default: cty.True, Example: cty.True,
				Doc: "Whether the names are reached by https, as they should be. With false passwords cross the network in the clear.",
			},
			{
				Name: "issuer", Type: issuerType(), AtLoad: true, Conflicts: "certificate",
				Fields:  map[string]Format{"name": FormatDNSName},
				Example: cty.ObjectVal(map[string]cty.Value{"kind": cty.StringVal("ClusterIssuer"), "name": cty.StringVal("openstack-ca")}),
				Doc:     "The issuer of cert-manager that signs a certificate for each name: a ClusterIssuer, or an Issuer in the namespace of the cloud. For Ingresses; without it and without certificate they have the default certificate of their controller.",
			},
			{
				Name: "certificate", Type: cty.String, AtLoad: true, Format: FormatDNSName, Conflicts: "issuer", Example: cty.StringVal("wildcard-tls"),
				Doc: "The name of a Kubernetes Secret in the namespace of the cloud, of the type kubernetes.io/tls, whose certificate holds for all names. It has to be there.",
			},
			{
				Name: "annotations", Type: cty.Map(cty.String), AtLoad: true,
				Example: cty.MapVal(map[string]cty.Value{"nginx.ingress.kubernetes.io/proxy-body-size": cty.StringVal("0")}),
				Doc:     "Annotations of each Ingress or HTTPRoute, which tell their controller more, such as that images may be of any size.",
			},
		},
	}}
}

func gatewayType() cty.Type {
	return cty.ObjectWithOptionalAttrs(map[string]cty.Type{"name": cty.String, "namespace": cty.String, "listener": cty.String}, []string{"namespace", "listener"})
}

func issuerType() cty.Type {
	return cty.ObjectWithOptionalAttrs(map[string]cty.Type{"kind": cty.String, "name": cty.String}, []string{"kind"})
}
