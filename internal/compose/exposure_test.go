package compose_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// exposed is a cloud with all services that are reached as a block says.
func exposed(t *testing.T, block string) map[string]unit.Unit {
	t.Helper()
	return composed.Everything(t, "ovn", "ceph", "", "exposure {\n"+block+"\n}\n")
}

// routes are the objects of the exposure, by their names.
func routes(t *testing.T, units map[string]unit.Unit) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for address, u := range units {
		if !strings.HasPrefix(address, "system.exposure[") {
			continue
		}
		for _, item := range u.Spec.(*unit.Objects).Items {
			name := at(item, []string{"metadata", "name"}).(string)
			if found[name] != nil {
				t.Errorf("two objects are called %s", name)
			}
			found[name] = item
		}
	}
	return found
}

func TestExposureRoutes(t *testing.T) {
	for name, c := range map[string]struct{ block, service, want string }{
		"an issuer": {
			`domain = "cloud.example.org"
			ingress_class = "nginx"
			issuer = { name = "acme" }
			annotations = { "nginx.ingress.kubernetes.io/proxy-body-size" = "0" }`,
			"nova-novncproxy", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: nova-novncproxy
  namespace: openstack
  annotations:
    cert-manager.io/cluster-issuer: acme
    nginx.ingress.kubernetes.io/proxy-body-size: "0"
spec:
  ingressClassName: nginx
  rules:
  - host: novncproxy.cloud.example.org
    http:
      paths:
      - path: /
        pathType: Prefix
        backend: {service: {name: nova-novncproxy, port: {number: 6080}}}
  tls:
  - hosts: [novncproxy.cloud.example.org]
    secretName: nova-novncproxy-public-tls
`,
		},
		"a certificate": {
			`domain = "cloud.example.org"
			hosts = { horizon = "dashboard.example.org" }
			ingress_class = "nginx"
			certificate = "wildcard"`,
			"horizon-int", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: horizon-int, namespace: openstack}
spec:
  ingressClassName: nginx
  rules:
  - host: dashboard.example.org
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: horizon-int, port: {number: 80}}}}]}
  tls:
  - {hosts: [dashboard.example.org], secretName: wildcard}
`,
		},
		"neither": {
			`domain = "cloud.example.org"
			ingress_class = "nginx"
			tls = false`,
			"keystone-api", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: keystone-api, namespace: openstack}
spec:
  ingressClassName: nginx
  rules:
  - host: keystone.cloud.example.org
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: keystone-api, port: {number: 5000}}}}]}
`,
		},
		"a gateway": {
			`domain = "cloud.example.org"
			gateway = { name = "public", listener = "https" }`,
			"heat-cfn", `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: heat-cfn, namespace: openstack}
spec:
  parentRefs:
  - {group: gateway.networking.k8s.io, kind: Gateway, name: public, namespace: openstack, sectionName: https}
  hostnames: [cloudformation.cloud.example.org]
  rules:
  - backendRefs: [{name: heat-cfn, port: 8000}]
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := yaml.Marshal(routes(t, exposed(t, c.block))[c.service])
			if err != nil {
				t.Fatal(err)
			}
			var want any
			if err := yaml.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			wanted, _ := yaml.Marshal(want)
			if string(text) != string(wanted) {
				t.Errorf("got\n%s\nwant\n%s", text, wanted)
			}
		})
	}
}

// TestExposureOfAll has every API outside that somebody there needs, and none that nobody may reach.
func TestExposureOfAll(t *testing.T) {
	units := exposed(t, "domain = \"d.example\"\ningress_class = \"nginx\"")
	found := routes(t, units)
	for _, name := range []string{"keystone-api", "glance-api", "placement-api", "neutron-server", "nova-api", "nova-novncproxy", "cinder-api", "heat-api", "horizon-int"} {
		if found[name] == nil {
			t.Errorf("nothing leads to %s; there are %v", name, slices.Sorted(maps.Keys(found)))
		}
	}
	if found["nova-metadata"] != nil {
		t.Error("the metadata of instances can be reached from outside")
	}
	for address, u := range units {
		if strings.HasPrefix(address, "system.exposure[") && (len(u.Edges) != 1 || u.Edges[0].To.String() != "system.namespace") {
			t.Errorf("%s waits for %v", address, u.Edges)
		}
	}
	if plain := routes(t, composed.Everything(t, "ovn", "ceph", "")); len(plain) > 0 {
		t.Errorf("without the block there are routes: %v", plain)
	}
	off := strings.Replace(composed.Source("ovs", "", "exposure {\ndomain = \"d.example\"\ningress_class = \"nginx\"\n}\n"), `service "horizon" { replicas = 2 }`, `service "horizon" { enabled = false }`, 1)
	m, ev := composed.Text(t, off)
	if found := routes(t, composed.Compose(t, m, ev, compose.Facts{})); found["horizon-int"] != nil || found["keystone-api"] == nil {
		t.Errorf("with a service that is switched off there are %v", slices.Sorted(maps.Keys(found)))
	}
}

// TestExposureValues looks at what charts are told, and that OpenStack-Helm's have a place for it.
func TestExposureValues(t *testing.T) {
	units, listed := exposed(t, "domain = \"d.example\"\ningress_class = \"nginx\""), paths(t)
	for service, want := range map[string]map[string]any{
		"keystone": {"endpoints.identity.host_fqdn_override.public.host": "keystone.d.example", "endpoints.identity.scheme.public": "https", "endpoints.identity.port.api.public": float64(443)},
		"nova": {
			"endpoints.identity.host_fqdn_override.public.host":            "keystone.d.example",
			"endpoints.compute.host_fqdn_override.public.host":             "nova.d.example",
			"endpoints.compute.port.api.public":                            float64(443),
			"endpoints.compute_novnc_proxy.scheme.public":                  "https",
			"endpoints.compute_novnc_proxy.port.novnc_proxy.public":        float64(443),
			"endpoints.compute_metadata.host_fqdn_override.public.host":    nil,
			"endpoints.compute_metadata.port.metadata.public":              float64(8775),
			"endpoints.identity.hosts.default":                             "keystone-api", // inside
			"endpoints.compute_novnc_proxy.host_fqdn_override.public.host": "novncproxy.d.example",
		},
		"glance":    {"endpoints.dashboard.host_fqdn_override.public.host": "horizon.d.example", "endpoints.image.scheme.public": "https"},
		"heat":      {"endpoints.cloudformation.host_fqdn_override.public.host": "cloudformation.d.example"},
		"placement": {"conf.placement.oslo_middleware.enable_proxy_headers_parsing": true},
		"barbican":  {"conf.barbican.oslo_middleware.enable_proxy_headers_parsing": true},
		// It would give the addresses of the inside away in place of its own.
		"ironic": {"conf.ironic.oslo_middleware.enable_proxy_headers_parsing": nil},
		"magnum": {
			"conf.magnum.heat_client.endpoint_type":   "internalURL",
			"conf.magnum.magnum_client.endpoint_type": nil, // which instances use, from outside
		},
		"octavia": {
			"conf.octavia.nova.endpoint_type": "internalURL", "conf.octavia.neutron.valid_interfaces": "internal",
			"conf.octavia.certificates.endpoint_type":                   "internalURL",
			"conf.octavia.oslo_middleware.enable_proxy_headers_parsing": true,
		},
		"designate": {"conf.designate.network_api:neutron.endpoint_type": "internalURL"},
		"cinder":    {"conf.cinder.barbican.barbican_endpoint_type": "internal"},
		"horizon": {
			"conf.horizon.local_settings.config.secure_proxy_ssl_header": true,
			"conf.horizon.local_settings.config.csrf_cookie_secure":      "True",
			"conf.horizon.local_settings.config.session_cookie_secure":   "True",
			"conf.horizon.local_settings.config.session_cookie_httponly": "True",
			"conf.horizon.local_settings.config.csrf_cookie_httponly":    nil, // its pages read it
		},
	} {
		values := composed.Release(t, units, service).Values
		for path, value := range want {
			if got := at(values, strings.Split(path, ".")); got != value {
				t.Errorf("%s: %s is %v, want %v", service, path, got, value)
			}
		}
	}
	for _, service := range names(units) {
		for _, path := range leaves(composed.Release(t, units, service).Values, "") {
			if parent, field, _ := strings.Cut(path, ".public"); field == ".host" || field == "" {
				path = parent // a new key beside those of the other interfaces
			}
			below := func(listed string) bool { return listed == path || strings.HasPrefix(listed, path+".") }
			if strings.HasPrefix(path, "conf.") { // as far as a chart knows of it
				path = strings.Join(strings.Split(path, ".")[:2], ".")
			}
			if path == "conf.overrides" {
				continue
			}
			if ours := strings.HasPrefix(path, "endpoints.") || strings.HasPrefix(path, "conf."); ours && !slices.ContainsFunc(slices.Collect(maps.Keys(listed[service])), below) {
				t.Errorf("%s has no %s", service, path)
			}
		}
	}
	withoutTLS := exposed(t, "domain = \"d.example\"\ningress_class = \"nginx\"\ntls = false")
	if got := at(composed.Release(t, withoutTLS, "octavia").Values, strings.Split("conf.octavia.oslo_middleware", ".")); got != nil {
		t.Errorf("without TLS: %v", got)
	}
	plain := composed.Release(t, withoutTLS, "horizon").Values
	if at(plain, strings.Split("endpoints.dashboard.scheme.public", ".")) != "http" || at(plain, strings.Split("conf.horizon.local_settings", ".")) != nil {
		t.Errorf("without TLS: %v", plain["endpoints"])
	}
}
