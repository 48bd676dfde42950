package compose

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// speaks tells whether an API speaks TLS itself, behind what leads to it from outside.
func (c *composer) speaks(e endpoint) bool {
	return slices.ContainsFunc(c.m.Cloud.Services, func(s model.Service) bool {
		return speaksTLS(c.m, s.Name) && slices.ContainsFunc(fronts()[s.Name], func(f front) bool { return f.api == e })
	})
}

// insideName is a name of an API inside that its certificate has.
func (c *composer) insideName(e endpoint) string { return e.host + "." + c.m.Cloud.Namespace + ".svc" }

// backendAnnotations have ingress-nginx speak TLS to an API and check its certificate:
// https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/.
func (c *composer) backendAnnotations(e endpoint) map[string]any {
	const of = "nginx.ingress.kubernetes.io/"
	return map[string]any{
		of + "backend-protocol":      "HTTPS",
		of + "proxy-ssl-secret":      c.m.Cloud.Namespace + "/" + trustName,
		of + "proxy-ssl-verify":      "on",
		of + "proxy-ssl-name":        c.insideName(e),
		of + "proxy-ssl-server-name": "on",
	}
}

// backendPolicy says the same to a Gateway: https://gateway-api.sigs.k8s.io/api-types/backendtlspolicy/.
func (c *composer) backendPolicy(e endpoint) map[string]any {
	return map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1", "kind": "BackendTLSPolicy",
		"metadata": map[string]any{"name": e.host, "namespace": c.m.Cloud.Namespace},
		"spec": map[string]any{
			"targetRefs": []any{map[string]any{"group": "", "kind": "Service", "name": e.host}},
			"validation": map[string]any{
				"caCertificateRefs": []any{map[string]any{"group": "", "kind": "Secret", "name": trustName}},
				"hostname":          c.insideName(e),
			},
		},
	}
}
