package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Charts look a port up by who asks for it: their Service, the catalogue for those inside and for those outside. Where it has
// none of its own, that is the default one.
const (
	portOfService = "service"
	portInside    = "internal"
	portOutside   = "public"
	portDefault   = "default"
)

// ownPorts are the endpoints for whose Service the charts have a port of its own, the same as the default one.
func ownPorts() []string {
	return []string{"placement", "network", "compute", "compute_metadata", "sharev2", "orchestration", "cloudformation", "key_manager"}
}

// insidePorts are those of which the Service has the port for those inside, and nothing reads one for the Service.
func insidePorts() []string { return []string{"compute_novnc_proxy", "dashboard"} }

// in is where the values of a chart have the port of an endpoint for somebody.
func (e endpoint) in(kind string) string {
	if kind == portOfService && e.name == "compute_metadata" {
		return "network.metadata.port"
	}
	return "endpoints." + e.name + ".port." + e.port + "." + kind
}

// portReaders are the services whose charts have the port of another one's endpoint among their own values, and go by that.
func portReaders() map[string][]string {
	return map[string][]string{
		"image":            {"cinder", "ironic", "nova"},
		"network":          {"ironic", "nova"},
		"compute":          {"ironic"},
		"compute_metadata": {"neutron"},
		"volumev3":         {"ironic"},
		"baremetal":        {"nova"},
		"dns":              {"neutron"},
		"load_balancer":    {"neutron"},
	}
}

// tellPorts warns where people give an API another port and leave others with the one before: its Service, what the catalogue
// says, the routes of exposure, charts that go by their own values, and KupenStack itself. Where others have Keystone's is in
// [addresses].
func (c *composer) tellPorts(s *model.Service, values map[string]any) {
	all := endpoints()[s.Name]
	if s.Name == keystoneService {
		all = []endpoint{identityEndpoint()}
	}
	for _, e := range all {
		usual := fmt.Sprint(cmp.Or(e.number, portHTTP))
		looked := []string{portDefault, portOfService, portInside}
		if slices.Contains(insidePorts(), e.name) {
			looked = []string{portDefault, portInside}
		}
		if c.leadsInside(e, values) && apis()[s.Name] != unit.ServiceDashboard { // which no catalogue leads to
			looked = append(looked, portOutside)
		}
		kinds := looked[1:]
		if s.Name == keystoneService && overridden(e, values) {
			looked = kinds // the default one is for those outside alone, who come by another address
		}
		i := slices.IndexFunc(looked, func(kind string) bool {
			text, known := comparedText(get(values, e.in(kind)))
			return covers(c.written[s.Name], e.in(kind)) && known && text != "" && text != usual
		})
		if i < 0 {
			continue
		}
		is, _ := comparedText(get(values, e.in(looked[i])))
		others := c.otherPorts(s, e, values, kinds, is)
		if len(others) == 0 {
			continue
		}
		where, text := c.whereKey(s, s.Settings, steps(e.in(looked[i])))
		if slices.ContainsFunc(c.diags, func(d diag.Diagnostic) bool { return d.Subject != nil && *d.Subject == where.where }) {
			continue // it is in the way of TLS, or the line has it for another interface
		}
		c.failAt(codeUnsafe, where, "others look for it at another port",
			fmt.Sprintf("%s of %s is %s, and another port counts for %s: at one of them nothing answers", text, s.Name, plainText(get(values, e.in(looked[i]))), strings.Join(others, ", ")),
			"take it away: each API has an address of its own, so that the usual port is free")
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}

// leadsInside tells whether the public address of an endpoint is that of its Service, and nobody else's.
func (c *composer) leadsInside(e endpoint, values map[string]any) bool {
	return c.m.Cloud.Exposure == nil && plainText(get(values, "endpoints."+e.name+".hosts.public")) == e.host && !overridden(e, values)
}

// overridden tells whether the public address of an endpoint is another one than that of a Service.
func overridden(e endpoint, values map[string]any) bool {
	at := "endpoints." + e.name + ".host_fqdn_override."
	return get(values, at+portOutside) != nil || get(values, at+portDefault) != nil
}

// otherPorts names what goes by another port of an endpoint than the given one.
func (c *composer) otherPorts(s *model.Service, e endpoint, values map[string]any, kinds []string, is string) []string {
	usual := fmt.Sprint(cmp.Or(e.number, portHTTP))
	// portFor is what a chart looks up; "" where nobody knows it.
	portFor := func(values map[string]any, kind string, own bool) string {
		for _, key := range []string{kind, portDefault} {
			if v := get(values, e.in(key)); v != nil {
				text, _ := comparedText(v)
				return text
			}
			if own && key == kind {
				break
			}
		}
		return usual
	}
	var others []string
	for _, kind := range kinds {
		own := kind == portOfService && slices.Contains(ownPorts(), e.name) || kind != portOutside && s.Name == keystoneService
		if port := portFor(values, kind, own); port != "" && port != is {
			others = append(others, "values."+e.in(kind))
		}
	}
	for _, reader := range portReaders()[e.name] {
		if port := portFor(c.written[reader], portInside, false); c.deployed(reader) && port != "" && port != is {
			others = append(others, reader)
		}
	}
	if is == usual {
		return others
	}
	if c.m.Cloud.Exposure != nil && e.public() != "" {
		others = append(others, "the routes of exposure")
	}
	if apis()[s.Name] == unit.ServiceDashboard {
		others = append(others, "KupenStack, which asks whether it answers")
	}
	return others
}
