package compose_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const issued = `    issuer = { name = "authority" }`

// secured is a cloud with all services that can be beside TLS.
func secured(t *testing.T, tls string, blocks ...string) map[string]unit.Unit {
	t.Helper()
	m, ev := composed.Text(t, composed.Secured("ovn", "ceph", tls, blocks...))
	return composed.Compose(t, m, ev, compose.Facts{})
}

// wantYAML compares an object with how it is written.
func wantYAML(t *testing.T, got any, want string) {
	t.Helper()
	text, err := yaml.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := yaml.Unmarshal([]byte(want), &decoded); err != nil {
		t.Fatal(err)
	}
	if wanted, _ := yaml.Marshal(decoded); string(text) != string(wanted) {
		t.Errorf("got\n%s\nwant\n%s", text, wanted)
	}
}

// TestTrustOfObjectStore: Glance's store in Swift logs in to Keystone by itself, and knows no authority but what it is told.
func TestTrustOfObjectStore(t *testing.T) {
	const path = "conf.glance.swift.swift_store_cacert"
	for storage, want := range map[string]string{"swift": `"/etc/ssl/certs/openstack-helm.crt"`, "ceph": "null"} {
		m, ev := composed.Text(t, composed.Storing(composed.Secured("ovn", "ceph", issued), storage))
		values := composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), "glance").Values
		if got := compact(at(values, strings.Split(path, "."))); got != want {
			t.Errorf("with images in %s it trusts %s, want %s", storage, got, want)
		}
	}
}

func TestCertificates(t *testing.T) {
	units := secured(t, "    issuer = { kind = \"Issuer\", name = \"authority\" }\n    services = [\"heat\", \"keystone\"]")
	wantYAML(t, units[`system.certificates["heat"]`].Spec.(*unit.Objects).Items, `
- apiVersion: cert-manager.io/v1
  kind: Certificate
  metadata: {name: heat-api-tls, namespace: openstack}
  spec:
    secretName: heat-api-tls
    issuerRef: {group: cert-manager.io, kind: Issuer, name: authority}
    dnsNames: [heat-api, heat-api.openstack, heat-api.openstack.svc, heat-api.openstack.svc.cluster.local]
    usages: [server auth]
- apiVersion: cert-manager.io/v1
  kind: Certificate
  metadata: {name: heat-cfn-tls, namespace: openstack}
  spec:
    secretName: heat-cfn-tls
    issuerRef: {group: cert-manager.io, kind: Issuer, name: authority}
    dnsNames: [heat-cfn, heat-cfn.openstack, heat-cfn.openstack.svc, heat-cfn.openstack.svc.cluster.local]
    usages: [server auth]
`)
	wantYAML(t, units["system.trust"].Spec.(*unit.Objects).Items, `
- apiVersion: cert-manager.io/v1
  kind: Certificate
  metadata: {name: kupenstack-tls-trust, namespace: openstack}
  spec:
    secretName: kupenstack-tls-trust
    issuerRef: {group: cert-manager.io, kind: Issuer, name: authority}
    dnsNames: [kupenstack-tls-trust.openstack.svc]
    usages: [client auth]
`)
	if _, more := units[`system.certificates["glance"]`]; more {
		t.Error("a service that is not named has a certificate")
	}
	for service, want := range map[string]string{"heat": "Issuer/authority", "keystone": "Issuer/authority", "glance": ""} {
		if got, fixed := units["service."+service].Fixed["tls"]; !fixed || got != want {
			t.Errorf("%s is fixed to %q", service, got)
		}
	}
	for address, want := range map[string][]string{
		"service.heat":    {`system.certificates["heat"] ready`, "system.trust ready"},
		"service.glance":  {"system.trust ready"},
		"service.mariadb": nil,
	} {
		for _, waits := range []string{`system.certificates["heat"] ready`, "system.trust ready"} {
			if got := strings.Contains(edgesOf(units[address]), waits); got != slices.Contains(want, waits) {
				t.Errorf("%s waits for %s: %v", address, waits, got)
			}
		}
	}
}

// TestTLSOfServices has each chart with a place for TLS known to the language, and told of exactly what speaks it.
func TestTLSOfServices(t *testing.T) {
	units := secured(t, issued)
	for _, s := range schema.New().Services() {
		if _, has := units[`system.certificates["`+s.Name+`"]`]; has != s.TLS {
			t.Errorf("%s has a certificate: %v", s.Name, has)
		}
	}
	for service, want := range map[string]map[string]any{
		"nova": {
			"endpoints.identity.scheme.default": "https", "endpoints.compute.scheme.internal": "https", "endpoints.compute.scheme.service": "http",
			"endpoints.compute_novnc_proxy.scheme.public": nil, "endpoints.volumev3.scheme.default": "https",
			"network.osapi.target_port": int64(8443), "network.metadata.target_port": int64(8443), "secrets.tls.ca": "kupenstack-tls-trust",
			"endpoints.identity.auth.admin.cacert": "/etc/ssl/certs/openstack-helm.crt",
		},
		"barbican": {"endpoints.key_manager.scheme": nil, "endpoints.identity.scheme.internal": "https", "tls.identity": true},
		"keystone": {"secrets.tls.identity.api.internal": "kupenstack-tls-trust"},
		"designate": {
			"conf.designate.keystone_authtoken.cafile": "/etc/ssl/certs/openstack-helm.crt", "endpoints.dns.scheme": nil, "endpoints.identity.scheme.internal": "https",
			"manifests.job_ks_user": false, "endpoints.identity.auth.designate.cacert": "/etc/ssl/certs/openstack-helm.crt",
		},
		"ironic": {
			"conf.ironic.neutron.cafile": "/etc/ssl/certs/openstack-helm.crt", "endpoints.network.scheme.internal": "https",
			"manifests.job_ks_endpoints": false, "endpoints.compute_metadata": nil, "endpoints.baremetal.scheme": nil,
		},
		"mariadb": {"endpoints.identity": nil},
	} {
		for path, value := range want {
			if got := at(composed.Release(t, units, service).Values, strings.Split(path, ".")); got != value {
				t.Errorf("%s: %s is %v, want %v", service, path, got, value)
			}
		}
	}
	some := secured(t, issued+"\n    services = [\"glance\"]")
	for path, value := range map[string]any{"endpoints.image.scheme.default": "https", "endpoints.identity.scheme": nil, "endpoints.network.scheme": nil, "network.osapi": nil} {
		if got := at(composed.Release(t, some, "nova").Values, strings.Split(path, ".")); got != value {
			t.Errorf("with Glance alone Nova has %s as %v, want %v", path, got, value)
		}
	}
}

// TestShownTLS has people see it at the cloud.
func TestShownTLS(t *testing.T) {
	for name, want := range map[string]string{
		issued: `{"enabled":true,"issuerRef":{"kind":"ClusterIssuer","name":"authority"},"services":["cinder","glance","heat","horizon","keystone","neutron","nova","placement"]}`,
		"    issuer = { kind = \"Issuer\", name = \"authority\" }\n    services = [\"keystone\", \"glance\"]": `{"enabled":true,"issuerRef":{"kind":"Issuer","name":"authority"},"services":["glance","keystone"]}`,
	} {
		cloud := items(t, secured(t, name), "system.controlplane")[0]
		if got := compact(at(cloud, []string{"spec", "tls"})); got != want {
			t.Errorf("the cloud shows %s, want %s", got, want)
		}
	}
}

func TestImageOfTLS(t *testing.T) {
	const images = "  images {\n    registries = { \"docker.io\" = \"mirror.example.org/docker\", \"docker.io/library/ng\" = \"wrong.example.org\" }\n  }"
	for tls, want := range map[string]string{
		issued: strings.Replace(schema.DefaultTLSImage, "docker.io", "mirror.example.org/docker", 1),
		issued + "\n    image = \"docker.io/mine/nginx:1\"": "docker.io/mine/nginx:1",
	} {
		front := at(composed.Release(t, secured(t, tls, images), "glance").Values, []string{"pod", "extraContainers", "glance_api"}).([]any)[0].(map[string]any)
		if front["image"] != want {
			t.Errorf("the image is %v, want %s", front["image"], want)
		}
		conf := front["env"].([]any)[0].(map[string]any)["value"].(string)
		if !strings.Contains(conf, "proxy_pass http://127.0.0.1:9292;") || !strings.Contains(conf, "listen 8443 ssl;") {
			t.Errorf("the configuration is\n%s", conf)
		}
	}
}

// TestExposureOfTLS leads from outside to APIs that speak TLS, and plainly to those that do not.
func TestExposureOfTLS(t *testing.T) {
	const outside = "  exposure {\n    domain = \"d.example\"\n"
	found := routes(t, secured(t, issued, outside+"    ingress_class = \"nginx\"\n    annotations = { \"nginx.ingress.kubernetes.io/proxy-ssl-verify\" = \"off\" }\n  }"))
	wantYAML(t, at(found["nova-api"], []string{"metadata", "annotations"}), `
nginx.ingress.kubernetes.io/backend-protocol: HTTPS
nginx.ingress.kubernetes.io/proxy-ssl-secret: openstack/kupenstack-tls-trust
nginx.ingress.kubernetes.io/proxy-ssl-name: nova-api.openstack.svc
nginx.ingress.kubernetes.io/proxy-ssl-server-name: "on"
nginx.ingress.kubernetes.io/proxy-ssl-verify: "off"
`)
	for _, plain := range []string{"nova-novncproxy", "barbican-api"} {
		if got := at(found[plain], []string{"metadata", "annotations"}).(map[string]any); len(got) != 1 {
			t.Errorf("%s: %v", plain, got)
		}
	}
	policies := map[string]map[string]any{}
	for address, u := range secured(t, issued, outside+"    gateway = { name = \"public\" }\n  }") {
		if !strings.HasPrefix(address, "system.exposure[") {
			continue
		}
		for _, item := range u.Spec.(*unit.Objects).Items {
			if item["kind"] == "BackendTLSPolicy" {
				policies[at(item, []string{"metadata", "name"}).(string)] = item
			}
		}
	}
	if got := slices.Sorted(maps.Keys(policies)); !slices.Contains(got, "heat-cfn") || slices.Contains(got, "barbican-api") || slices.Contains(got, "nova-novncproxy") {
		t.Errorf("policies: %v", got)
	}
	wantYAML(t, policies["horizon-int"], `
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: horizon-int, namespace: openstack}
spec:
  targetRefs: [{group: "", kind: Service, name: horizon-int}]
  validation:
    caCertificateRefs: [{group: "", kind: Secret, name: kupenstack-tls-trust}]
    hostname: horizon-int.openstack.svc
`)
}

// TestTrustInVain refuses services that could not talk to the APIs any more.
func TestTrustInVain(t *testing.T) {
	for services, want := range map[string]int{"": 3, "services = [\"placement\"]": 3, "services = [\"horizon\"]": 0} {
		m, ev := composed.Text(t, composed.Source("ovs", "", "tls {\n"+issued+"\n"+services+"\n}"))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if got := codes(diags); len(got) != want || want > 0 && !strings.HasSuffix(got[0], " compose.trust") {
			t.Errorf("%s: %v", services, got)
		}
		if secret := compose.TrustSecret(m); secret != "kupenstack-tls-trust" {
			t.Errorf("%s: the authority is in %q", services, secret)
		}
	}
}
