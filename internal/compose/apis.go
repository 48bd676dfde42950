package compose

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// apis are the services that are ready only once what is behind their releases answers, with the types that the
// catalogue of OpenStack has for them.
func apis() map[string]string {
	return map[string]string{
		"keystone":  "identity",
		"glance":    "image",
		"placement": "placement",
		"neutron":   "network",
		"nova":      "compute",
		"cinder":    "volumev3",
		"manila":    "sharev2",
		"designate": "dns",
		"ironic":    "baremetal",
		"heat":      "orchestration",
		"barbican":  "key-manager",
		"magnum":    "container-infra",
		"octavia":   "load-balancer",
		"horizon":   unit.ServiceDashboard,
		"skyline":   unit.ServiceDashboard,
	}
}

// APIServices returns the names of the services that are asked whether they answer, sorted.
func APIServices() []string { return slices.Sorted(maps.Keys(apis())) }

// Checks say which of [APIServices] are asked: all of them, unless Only names some. Off asks none.
type Checks struct {
	Off  bool
	Only []string
}

// asks tells whether a service is asked.
func (c Checks) asks(service string) bool {
	return !c.Off && (c.Only == nil || slices.Contains(c.Only, service))
}

// api is what has to answer before a service with some values is ready, nil for nothing.
func (c *composer) api(service string, values map[string]any) *unit.API {
	kind, known := apis()[service]
	if !known || !c.facts.Checks.asks(service) {
		return nil
	}
	api := &unit.API{Service: kind}
	// Skyline's pages are files of a server before it. This is what they ask for first, without a login, and it asks
	// Keystone; the path is the one that skyline-nginx-generator writes, and after it skyline-apiserver's own.
	asked := map[string]string{"skyline": "api/openstack/skyline/api/v1/contrib/keystone_endpoints"}
	switch service {
	case keystoneService:
		api.Address = addressInside(c.m, keystoneService, identityEndpoint())
	case "horizon", "skyline":
		page := endpoints()[service][0]
		api.Address = addressInside(c.m, service, page) + asked[service]
		if x := c.m.Cloud.Exposure; x != nil {
			api.Public = addressOutside(page, x) + asked[service]
		}
	case "nova":
		api.Hosts = c.hostsOf(schema.RoleCompute)
	case "neutron":
		api.Hosts = c.hostsOf(schema.RoleCompute, schema.RoleNetwork)
	}
	api.Parts, api.Programs = partsOf(service, values), c.programs(service)
	return api
}

// programs are what has to report to a service from nodes of the configuration. The chart names a DaemonSet as its table
// does, but for the sign between its own name and that.
func (c *composer) programs(service string) []unit.Program {
	var programs []unit.Program
	for _, d := range c.daemons(service, mechanisms()[service]) {
		if hosts := c.hostsOf(d.roles...); d.program != "" && len(hosts) > 0 {
			programs = append(programs, unit.Program{Name: d.program, DaemonSet: strings.Replace(d.name, "_", "-", 1), Hosts: hosts})
		}
	}
	// What moves packets by OVN has a chart of its own, and Neutron tells of it as of an agent.
	if hosts := c.hostsOf(schema.RoleCompute, schema.RoleNetwork); service == "neutron" && c.m.Cloud.NetworkBackend == networkOVN && len(hosts) > 0 {
		programs = append(programs, unit.Program{Name: ovnController, DaemonSet: ovnController, Beside: true, Hosts: hosts})
	}
	return programs
}

// ovnController is what OVN calls its part on each node, the chart its DaemonSet, and Neutron its agent.
const ovnController = "ovn-controller"

// hostsOf returns the nodes with one of some roles, sorted.
func (c *composer) hostsOf(roles ...string) []string {
	var hosts []string
	for i := range c.m.Nodes {
		n := &c.m.Nodes[i]
		if !n.Disabled && slices.ContainsFunc(n.Roles, func(role string) bool { return slices.Contains(roles, role) }) {
			hosts = append(hosts, n.Name)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// addressInside is where an API is inside of the cluster.
func addressInside(m *model.Model, service string, e endpoint) string {
	scheme := "http://"
	if speaksTLS(m, service) {
		scheme = "https://"
	}
	return scheme + e.host + "." + m.Cloud.Namespace + ".svc:" + strconv.FormatInt(cmp.Or(e.number, portHTTP), 10) + "/"
}

// addressOutside is where an API is outside of the cluster.
func addressOutside(e endpoint, x *model.Exposure) string {
	scheme := "http://"
	if x.TLS {
		scheme = "https://"
	}
	return scheme + hostOf(e, x) + "/"
}
