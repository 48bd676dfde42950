package compose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// exposureUnit are the routes to the APIs of a service, by its name as the key.
const exposureUnit = "exposure"

// The ports of HTTP, which no address in a catalogue has to name, and that of a Service where the table of
// endpoints leaves the chart's own.
const (
	portHTTP  = int64(80)
	portHTTPS = int64(443)
)

// publicNames are those of the APIs that are not called as their Service is without "-api"; "" for what nobody
// outside may reach: Nova takes what its metadata API is told of instances from Neutron's agents alone.
func publicNames() map[string]string {
	return map[string]string{
		"neutron-server": "neutron", "nova-novncproxy": "novncproxy", "heat-cfn": "cloudformation", "horizon-int": "horizon", "nova-metadata": "",
	}
}

// public is the first part of the name that an API has outside, "" for none.
func (e endpoint) public() string {
	if name, ok := publicNames()[e.host]; ok {
		return name
	}
	return strings.TrimSuffix(e.host, "-api")
}

// identityEndpoint is that of Keystone, which every chart that logs in has among its own.
func identityEndpoint() endpoint { return endpoint{"identity", "api", keystoneHost, keystonePort} }

// published are the APIs of a service that are reached from outside.
func published(service string) []endpoint {
	all := slices.Clone(endpoints()[service])
	if service == "keystone" {
		all = append(all, identityEndpoint())
	}
	return slices.DeleteFunc(all, func(e endpoint) bool { return e.public() == "" })
}

// hostOf is the name that an API has outside.
func hostOf(e endpoint, x *model.Exposure) string {
	if host, ok := x.Hosts[e.public()]; ok {
		return host
	}
	return e.public() + "." + x.Domain
}

// exposedValues tell a chart which name an API has outside.
func exposedValues(e endpoint, x *model.Exposure) []setting {
	scheme, port := "http", portHTTP
	if x.TLS {
		scheme, port = "https", portHTTPS
	}
	at := "endpoints." + e.name + "."
	return []setting{
		{path: at + "host_fqdn_override.public.host", value: hostOf(e, x)},
		{path: at + "scheme.public", value: scheme},
		{path: at + "port." + e.port + ".public", value: port},
	}
}

// exposureValues are what the chart of a service has to know of the names outside: its own, that of Keystone, and
// what its pages and images are reached by.
func exposureValues(service string, m *model.Model) []setting {
	x := m.Cloud.Exposure
	if x == nil {
		return nil
	}
	var list []setting
	for _, e := range published(service) {
		list = append(list, exposedValues(e, x)...)
	}
	if _, logsIn := accounts()[service]; logsIn && service != "keystone" && deployed(m, "keystone") {
		list = append(list, exposedValues(identityEndpoint(), x)...)
	}
	list = append(list, insideClients()[service]...)
	if x.TLS && slices.Contains(readProxyHeaders(), service) {
		list = append(list, setting{path: "conf." + service + ".oslo_middleware.enable_proxy_headers_parsing", value: true})
	}
	switch {
	case service == "glance": // which takes images from Horizon's pages; with or without it, so that it goes and comes alone
		for _, e := range published("horizon") {
			list = append(list, exposedValues(e, x)...)
		}
	case service == "horizon" && x.TLS: // which hears of it from the proxy before it alone
		const config = "conf.horizon.local_settings.config."
		list = append(list, setting{path: config + "secure_proxy_ssl_header", value: true})
		// Browsers send its cookies by https alone then, and no script reads that of the session. That against forged
		// requests is read by the dashboard's own pages. The chart puts these texts into Python as they are.
		for _, option := range []string{"csrf_cookie_secure", "session_cookie_secure", "session_cookie_httponly"} {
			list = append(list, setting{path: config + option, value: "True"})
		}
	}
	return list
}

// readProxyHeaders are the services that can read from the proxy before them that they are called by https, and whose
// charts do not have them do so. The charts of others do already; that of Magnum leaves the filter away, and Skyline
// has none. Ironic is told its own address.
func readProxyHeaders() []string { return []string{"barbican", "octavia", "placement"} }

// insideClients are the options of services that would go outside to reach others where their charts say nothing
// else: from inside the names may not be known, nor who signed the certificates. That of magnum_client is none of
// them: it is where the instances of Magnum's clusters reach Magnum, and they are outside.
func insideClients() map[string][]setting {
	urls := func(service string, sections ...string) []setting {
		var list []setting
		for _, section := range sections {
			list = append(list, setting{path: "conf." + service + "." + section + ".endpoint_type", value: "internalURL"})
		}
		return list
	}
	keys := func(service string) setting { // of encrypted volumes
		return setting{path: "conf." + service + ".barbican.barbican_endpoint_type", value: "internal"}
	}
	return map[string][]setting{
		"cinder":    {keys("cinder")},
		"designate": urls("designate", "network_api:neutron"),
		"magnum":    urls("magnum", "barbican_client", "cinder_client", "glance_client", "heat_client", "neutron_client", "nova_client", "octavia_client"),
		"nova":      {keys("nova")},
		"octavia": append(urls("octavia", "certificates", "cinder", "glance", "neutron", "nova"),
			setting{path: "conf.octavia.neutron.valid_interfaces", value: "internal"}),
	}
}

// exposure adds the routes to the APIs of the services that are deployed.
func (c *composer) exposure() {
	x := c.m.Cloud.Exposure
	if x == nil {
		return
	}
	names, hosts := allPublicNames(), map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(x.Hosts)) {
		if !slices.Contains(names, name) {
			c.failExposure("hosts", "no such name", fmt.Sprintf("hosts has %q, and no API is called that", name), "there are: "+strings.Join(names, ", "))
		}
	}
	c.idleHosts(x)
	c.annotations(x)
	for i := range c.m.Cloud.Services {
		s := &c.m.Cloud.Services[i]
		if !s.Enabled {
			continue
		}
		var routes []map[string]any
		for _, e := range published(s.Name) {
			host := hostOf(e, x)
			if other, taken := hosts[host]; taken {
				c.failExposure("hosts", "one name for two APIs", fmt.Sprintf("%s and %s would both be reached at %s", other, e.public(), host), "give each of them a name of its own in hosts")
			}
			hosts[host] = e.public()
			routes = append(routes, c.route(e, x))
			if x.Gateway != nil && c.speaks(e) {
				routes = append(routes, c.backendPolicy(e))
			}
		}
		if len(routes) == 0 {
			continue
		}
		c.add(unit.Unit{
			Address: systemAddress(exposureUnit).WithKey(addr.StringKey(s.Name)), Class: unit.ClassSystem, Range: x.Range,
			Spec:  &unit.Objects{Items: routes},
			Edges: []unit.Edge{{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart}},
		})
	}
}

// idleHosts warns of names for APIs of services that the cloud does not deploy, once for each of these.
func (c *composer) idleHosts(x *model.Exposure) {
	for _, service := range slices.Sorted(maps.Keys(allPublished())) {
		var names []string
		for _, e := range allPublished()[service] {
			if _, written := x.Hosts[e.public()]; written {
				names = append(names, e.public())
			}
		}
		if len(names) == 0 || c.deployed(service) {
			continue
		}
		slices.Sort(names)
		where, written := x.Ranges["hosts"]
		if !written {
			where = x.Range
		}
		why, hint := "the cloud does not deploy", fmt.Sprintf("take it out, or write in the cloud: service %q {}", service)
		if s := c.m.Service(service); s != nil {
			why, hint = "has enabled = false", "nothing has to be done if it will be back: else take it out"
		}
		if service == "horizon" && c.deployed(imageService) { // which takes them from there, whoever deploys it
			hint += "; where it is the name of pages of yours, Glance takes images from them by it"
		}
		c.tellIdle(origin{where: where}, "a name of nothing", fmt.Sprintf("hosts has %s, of %s, which %s: nothing leads there from outside", list(names), service, why), hint)
	}
}

// annotations tells of keys that Kubernetes does not take, and of those that say what issuer says.
func (c *composer) annotations(x *model.Exposure) {
	for _, key := range slices.Sorted(maps.Keys(x.Annotations)) {
		switch problems := validation.IsQualifiedName(strings.ToLower(key)); {
		case len(problems) > 0:
			c.failExposure("annotations", "not an annotation", fmt.Sprintf("Kubernetes takes no annotation %q: %s", key, problems[0]), "correct the key")
		case x.Issuer != nil && slices.Contains([]string{annotationClusterIssuer, annotationIssuer}, key):
			c.failExposure("annotations", "two issuers", fmt.Sprintf("the annotation %s says which issuer signs the certificates, and so does issuer", key), "take one of them away")
		}
	}
}

// The annotations that have cert-manager make a certificate for an Ingress.
const (
	annotationClusterIssuer = "cert-manager.io/cluster-issuer"
	annotationIssuer        = "cert-manager.io/issuer"
)

// allPublicNames are those of the APIs of all services, sorted.
func allPublicNames() []string {
	var names []string
	for _, all := range allPublished() {
		for _, e := range all {
			names = append(names, e.public())
		}
	}
	slices.Sort(names)
	return names
}

// allPublished are the APIs that are reached from outside, by their services.
func allPublished() map[string][]endpoint {
	all := map[string][]endpoint{"keystone": published("keystone")}
	for service := range endpoints() {
		all[service] = published(service)
	}
	return all
}

func (c *composer) failExposure(attribute, summary, detail, hint string) {
	x := c.m.Cloud.Exposure
	where := x.Range
	if written, ok := x.Ranges[attribute]; ok {
		where = written
	}
	c.fail(codeValue, where, noAddress(), summary, detail, hint)
}

// route is what leads from outside to the Service of an API. It has the name of that.
func (c *composer) route(e endpoint, x *model.Exposure) map[string]any {
	metadata := map[string]any{"name": e.host, "namespace": c.m.Cloud.Namespace}
	annotations := map[string]any{}
	if x.Gateway == nil && c.speaks(e) {
		annotations = c.backendAnnotations(e)
	}
	for key, value := range x.Annotations { // over ours, for another controller
		annotations[key] = value
	}
	port := e.number
	if port == 0 {
		port = portHTTP
	}
	object := c.ingress(e, x, port, annotations)
	if x.Gateway != nil {
		object = c.httpRoute(e, x, port)
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	object["metadata"] = metadata
	return object
}

// ingress leaves the certificate to its controller where nothing says which. What cert-manager makes one of says an
// annotation: https://cert-manager.io/docs/usage/ingress/.
func (c *composer) ingress(e endpoint, x *model.Exposure, port int64, annotations map[string]any) map[string]any {
	host := hostOf(e, x)
	spec := map[string]any{
		"ingressClassName": x.Class,
		"rules": []any{map[string]any{"host": host, "http": map[string]any{"paths": []any{map[string]any{
			"path": "/", "pathType": "Prefix",
			"backend": map[string]any{"service": map[string]any{"name": e.host, "port": map[string]any{"number": port}}},
		}}}}},
	}
	if x.TLS {
		tls := map[string]any{"hosts": []any{host}}
		switch {
		case x.Certificate != "":
			tls["secretName"] = x.Certificate
		case x.Issuer != nil:
			tls["secretName"] = publicCertificateOf(e)
			kind := annotationClusterIssuer
			if x.Issuer.Kind == "Issuer" {
				kind = annotationIssuer
			}
			annotations[kind] = x.Issuer.Name
		}
		spec["tls"] = []any{tls}
	}
	return map[string]any{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": spec}
}

// publicCertificateOf names the Secret with the certificate that cert-manager makes for the name of an API outside.
func publicCertificateOf(e endpoint) string { return e.host + "-public-tls" }

func (c *composer) httpRoute(e endpoint, x *model.Exposure, port int64) map[string]any {
	namespace := x.Gateway.Namespace
	if namespace == "" {
		namespace = c.m.Cloud.Namespace
	}
	parent := map[string]any{"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": x.Gateway.Name, "namespace": namespace}
	if x.Gateway.Listener != "" {
		parent["sectionName"] = x.Gateway.Listener
	}
	return map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
		"spec": map[string]any{
			"parentRefs": []any{parent}, "hostnames": []any{hostOf(e, x)},
			"rules": []any{map[string]any{"backendRefs": []any{map[string]any{"name": e.host, "port": port}}}},
		},
	}
}
