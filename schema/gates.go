package schema

import "github.com/zclconf/go-cty/cty"

// Gates is the attribute of a chart block with what has to hold besides, before what depends on it goes on.
const Gates = "gates"

// The fields of a gate.
const (
	GateURL        = "url"
	GateStatus     = "status"
	GateCA         = "ca"
	GateAPIVersion = "api_version"
	GateKind       = "kind"
	GateNamespace  = "namespace"
	GateName       = "name"
	GateCondition  = "condition"
)

func gateType() cty.Type {
	fields := map[string]cty.Type{
		GateURL: cty.String, GateStatus: cty.Number, GateCA: cty.String,
		GateAPIVersion: cty.String, GateKind: cty.String, GateNamespace: cty.String, GateName: cty.String, GateCondition: cty.String,
	}
	return cty.ObjectWithOptionalAttrs(fields, []string{GateURL, GateStatus, GateCA, GateAPIVersion, GateKind, GateNamespace, GateName, GateCondition})
}

func gates() Attribute {
	return Attribute{
		Name: Gates, Type: cty.List(gateType()), AtLoad: true, Bounds: &Bounds{100, 599}, Unit: "the status of an answer",
		Fields: map[string]Format{
			GateURL: FormatURL, GateCA: FormatPEM, GateKind: FormatKind, GateNamespace: FormatDNSLabel, GateName: FormatName,
		},
		Example: cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"url": cty.StringVal("http://gitea-http.gitea.svc:3000/api/healthz")})}),
		Doc: "What has to hold, beside the chart's own objects and hooks, before the release is ready and what depends on it goes on; at most 20. Either a url that a GET is answered from with a status of 200 to 299, or with the one that status gives, with certificates of the authorities in ca, in PEM, or of those that the daemon's machine trusts; redirects are not followed. " +
			"Or an object in the cluster, by its api_version, kind, name and namespace, that of the release unless written, whose condition is True: { api_version = \"cert-manager.io/v1\", kind = \"Certificate\", name = \"ca\", condition = \"Ready\" }. " +
			"They are asked once all else is ready, and again at every look at everything; a release that was ready waits again when one does not hold any more, and has failed after ten minutes of that. With --api-checks=none none is asked. Kinds that the role of the daemon's chart does not list have to be in rbac.extraRules, to be read.",
	}
}
