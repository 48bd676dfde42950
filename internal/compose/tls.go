package compose

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// trustName is the Secret that has the certificate of the authority that the clients of APIs trust. The Secrets of the
// APIs have it as well, and keys that clients have no business with.
const trustName = "kupenstack-tls-trust"

// Where OpenStack-Helm's charts put the certificate of an authority in pods: two of them have a place of their own.
const (
	trustFile         = "/etc/ssl/certs/openstack-helm.crt"
	trustFileBarbican = "/etc/barbican/certs/ca.crt"
	trustFileManila   = "/etc/manila/certs/ca.crt"
)

// TrustSecret names the Secret, in the namespace of the cloud, whose ca.crt the APIs' certificates are checked
// against; "" for none.
func TrustSecret(m *model.Model) string {
	if !secured(m) {
		return ""
	}
	return trustName
}

// front is where TLS ends before an API: its pods get another container.
type front struct {
	api    endpoint
	pods   string // below pod.extraContainers and pod.extraVolumes
	target string // below network: where the Service leads to
}

// program is the port of what TLS ends before.
func (f front) program() int64 {
	if f.api.number == 0 {
		return portHTTP
	}
	return f.api.number
}

// fronts are those of the services whose charts have a place for it. The consoles of instances are none of them.
func fronts() map[string][]front {
	of := func(service string, pods, targets []string) []front {
		var list []front
		for i, e := range endpoints()[service][:len(pods)] {
			list = append(list, front{e, pods[i], targets[i]})
		}
		return list
	}
	one := func(service, pods, target string) []front { return of(service, []string{pods}, []string{target}) }
	return map[string][]front{
		"keystone":  {{identityEndpoint(), "keystone_api", "api"}},
		"glance":    one("glance", "glance_api", "api"),
		"placement": one("placement", "placement_api", "api"),
		"neutron":   one("neutron", "neutron_server", "server"),
		"nova":      of("nova", []string{"nova_osapi", "nova_metadata"}, []string{"osapi", "metadata"}),
		"cinder":    one("cinder", "cinder_api", "api"),
		"heat":      of("heat", []string{"heat_api", "heat_cfn"}, []string{"api", "cfn"}),
		"horizon":   one("horizon", "horizon", "dashboard"),
	}
}

// speaksTLS tells whether the APIs of a service do.
func speaksTLS(m *model.Model, service string) bool {
	t := m.Cloud.TLS
	return t != nil && fronts()[service] != nil && deployed(m, service) && (t.Services == nil || slices.Contains(t.Services, service))
}

// secured tells whether there are such services.
func secured(m *model.Model) bool {
	return slices.ContainsFunc(m.Cloud.Services, func(s model.Service) bool { return speaksTLS(m, s.Name) })
}

// untrusting are the services whose charts cannot be told which authority to trust: jobs of Magnum and containers of
// Octavia that talk to APIs can be given no file, and the nginx of Skyline hands on to APIs whose certificates it does
// not check.
func untrusting() []string { return []string{"magnum", "octavia", "skyline"} }

// trust is how charts are told which authority to trust. Those that talk to no API are not among them.
func trust() map[string][]setting {
	const conf = "conf."
	files := func(file string, paths ...string) []setting {
		var list []setting
		for _, path := range paths {
			list = append(list, setting{path: conf + path, value: file})
		}
		return list
	}
	by := func(secret string, more ...setting) []setting {
		return append(more, setting{path: secret, value: trustName})
	}
	of := func(paths ...string) []setting { return by("secrets.tls.ca", files(trustFile, paths...)...) }
	switched := setting{path: "tls.identity", value: true}
	return map[string][]setting{
		"keystone":  by("secrets.tls.identity.api.internal", switched),
		"glance":    of("glance.keystone_authtoken.cafile"),
		"placement": of("placement.keystone_authtoken.cafile"),
		"neutron": of("neutron.keystone_authtoken.cafile", "neutron.nova.cafile", "neutron.placement.cafile", "neutron.designate.cafile", "neutron.ironic.cafile",
			"metadata_agent.DEFAULT.auth_ca_cert", "ovn_agent.DEFAULT.auth_ca_cert", "ovn_metadata_agent.DEFAULT.auth_ca_cert"),
		"nova": append(mountedTrust("nova_compute_ironic"), of("nova.keystone_authtoken.cafile", "nova.keystone.cafile", "nova.glance.cafile", "nova.neutron.cafile", "nova.placement.cafile",
			"nova.cinder.cafile", "nova.ironic.cafile", "nova.service_user.cafile")...), // the chart mounts it in all others
		"cinder": append(mountedTrust("cinder_backup"), of("cinder.DEFAULT.glance_ca_certificates_file", "cinder.keystone_authtoken.cafile", "cinder.nova.cafile",
			"cinder.service_user.cafile")...), // the chart mounts it in all others
		"heat":     of("heat.keystone_authtoken.cafile", "heat.trustee.cafile", "heat.clients.ca_file", "heat.clients_keystone.ca_file"),
		"horizon":  by("secrets.tls.ca", setting{path: conf + "horizon.local_settings.config." + horizonUnchecked, value: "False"}),
		"barbican": append(by("secrets.tls.key_manager.api.internal", switched), files(trustFileBarbican, "barbican.keystone_authtoken.cafile")...),
		"manila": append(by("secrets.tls.share.api.internal", switched), files(trustFileManila,
			"manila.keystone_authtoken.cafile", "manila.neutron.cafile", "manila.nova.cafile", "manila.cinder.cafile", "manila.glance.cafile")...),
		"designate": slices.Concat(
			files(trustFile, "designate.keystone_authtoken.cafile", "designate.keystone.cafile", "designate.network_api:neutron.ca_certificates_file"),
			mountedTrust("designate_api", "designate_central"), trustingJobs("designate", "dns", "")),
		"ironic": slices.Concat(
			files(trustFile, "ironic.keystone_authtoken.cafile", "ironic.cinder.cafile", "ironic.glance.cafile", "ironic.inspector.cafile", "ironic.neutron.cafile",
				"ironic.nova.cafile", "ironic.service_catalog.cafile", "ironic.service_user.cafile", "ironic.swift.cafile"),
			mountedTrust("ironic_api", "ironic_conductor"), trustingJobs("ironic", "baremetal", `"tolerationsEnabled" .Values.pod.tolerations.ironic.enabled `)),
		"prometheus-openstack-exporter": by("secrets.tls.identity.api.internal", setting{path: "manifests.certificates", value: true}),
	}
}

// horizonUnchecked has Horizon check no certificates, which is what its chart has. It is Python.
const horizonUnchecked = "ssl_no_verify"

// callees are the APIs of others that a chart has among its endpoints, besides Keystone's.
func callees() map[string][]string {
	return map[string][]string{
		"glance":  {"horizon"},
		"neutron": {"nova"},
		"nova":    {"glance", "neutron", "placement", "cinder"},
		"cinder":  {"glance"},
		"ironic":  {"glance", "neutron", "nova", "cinder"},
	}
}

// tlsValues are what the chart of a service has to know of TLS: its own, and that of APIs and servers it talks to.
func tlsValues(service string, m *model.Model) []setting {
	list := backendTLSValues(service, m)
	if !secured(m) {
		return list
	}
	if speaksTLS(m, service) {
		for _, f := range fronts()[service] {
			list = append(list, frontValues(f, m, m.Service(service).Pods.Resources[schema.PieceTLS])...)
		}
		if service == "horizon" { // which hears of it from what is before it alone
			list = append(list, setting{path: "conf.horizon.local_settings.config.secure_proxy_ssl_header", value: true})
		}
	}
	told, clients := trust()[service]
	if !clients {
		return list
	}
	list = append(list, told...)
	if service == imageService && m.Service(service).Storage == schema.ImagesSwift { // whose store logs in by itself
		list = append(list, setting{path: "conf.glance.swift.swift_store_cacert", value: trustFile})
	}
	for _, user := range append([]string{"admin"}, accounts()[service].identity...) { // for jobs, whose file it is
		list = append(list, setting{path: "endpoints.identity.auth." + user + ".cacert", value: trustFile})
	}
	for _, other := range append([]string{"keystone"}, callees()[service]...) {
		if other == service || !speaksTLS(m, other) {
			continue
		}
		for _, f := range fronts()[other] {
			if f.pods != "nova_metadata" || service == "neutron" { // whose agents ask for it, and nobody else
				list = append(list, schemeValues(f.api)...)
			}
		}
	}
	return list
}

// overTLS is the scheme of what speaks TLS.
const overTLS = "https"

// schemeValues have an API reached by https. That of Horizon is nobody's but that of people, and what its chart calls
// internal is the program itself.
func schemeValues(e endpoint) []setting {
	at := "endpoints." + e.name + ".scheme."
	list := []setting{{path: at + "public", value: overTLS}}
	if e.port != "web" {
		list = append(list, setting{path: at + "default", value: overTLS}, setting{path: at + "internal", value: overTLS})
	}
	return list
}

// frontValues put an API behind TLS. Its program, which the probes of its container ask, stays as it is.
func frontValues(f front, m *model.Model, resources model.Resources) []setting {
	list := append(schemeValues(f.api),
		setting{path: "network." + f.target + ".target_port", value: portTLS},
		setting{path: "pod.extraContainers." + f.pods, value: []any{frontContainer(frontImage(m), f.program(), resources)}},
		setting{path: "pod.extraVolumes." + f.pods, value: frontVolumes(f.api)})
	if f.api.port != "web" {
		list = append(list, setting{path: "endpoints." + f.api.name + ".scheme.service", value: "http"})
	}
	return list
}

// frontImage is the image of what ends TLS. One that somebody wrote is taken as it is, as in values.
func frontImage(m *model.Model) string {
	if written := m.Cloud.TLS.Image; written != "" {
		return written
	}
	if images := m.Cloud.Images; images != nil {
		return inPlaceOf(schema.DefaultTLSImage, images.Registries)
	}
	return schema.DefaultTLSImage
}
