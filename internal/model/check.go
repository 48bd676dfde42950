package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// The codes of what can be wrong with a model.
const (
	codeIncomplete diag.Code = "model.incomplete"  // something that the whole needs is missing
	codeService    diag.Code = "model.service"     // a setting that the service does not have
	codeNode       diag.Code = "model.node"        // nodes that contradict each other
	codeSlot       diag.Code = "model.slot"        // profiles that take each other's place
	codeInvalid    diag.Code = "model.not-allowed" // a value outside of what is allowed
)

// Check returns what is wrong with the model beyond single values. It takes nothing for granted
// that the language promises, so it also holds for a model that was made otherwise.
func (m *Model) Check() diag.Diagnostics {
	c := checker{definition: m.Language}
	c.cloud(&m.Cloud, slices.ContainsFunc(m.Resources, func(r Resource) bool {
		return m.Language.Resource(r.Kind) != nil && m.Language.Resource(r.Kind).Cluster
	}))
	return append(c.diags, m.CheckParts()...)
}

// CheckParts is that of Check which holds for the parts of a model, whatever else is missing.
func (m *Model) CheckParts() diag.Diagnostics {
	c := checker{definition: m.Language}
	for i := range m.Cloud.Services {
		c.settings(m.Cloud.Services[i].Name, m.Cloud.Services[i].Settings)
		c.requests(&m.Cloud.Services[i])
	}
	for i := range m.Profiles {
		for _, s := range m.Profiles[i].Services {
			c.settings(s.Name, s.Settings)
		}
	}
	c.slots(m.Profiles)
	c.nodes(m.Nodes)
	return c.diags
}

type checker struct {
	definition *schema.Definition
	diags      diag.Diagnostics
	told       map[diag.Range]bool // settings of the default profile are also the cloud's
}

func (c *checker) fail(code diag.Code, where diag.Range, summary, detail, hint string) {
	if c.told[where] {
		return
	}
	if c.told == nil {
		c.told = map[diag.Range]bool{}
	}
	c.told[where] = true
	c.diags = append(c.diags, diag.Diagnostic{Code: code, Subject: &where, Summary: summary, Detail: detail, Hint: hint})
}

// failHidden is fail where the text of the configuration is what nobody should see.
func (c *checker) failHidden(code diag.Code, where diag.Range, summary, detail, hint string) {
	before := len(c.diags)
	c.fail(code, where, summary, detail, hint)
	for i := range c.diags[before:] {
		c.diags[before+i].HideSource = true
	}
}

// cloud checks the cloud itself. inCluster tells that something is wanted in the cluster beside services.
func (c *checker) cloud(cloud *Cloud, inCluster bool) {
	for _, rule := range []struct {
		attribute, value string
	}{
		{"release", cloud.Release},
		{"region", cloud.Region},
		{"namespace", cloud.Namespace},
		{"network_backend", cloud.NetworkBackend},
		{"storage_backend", cloud.StorageBackend},
	} {
		if rule.value == "" {
			continue
		}
		if problem := c.definition.Block("cloud").Attribute(rule.attribute).Check(cty.StringVal(rule.value)); problem != "" {
			c.fail(codeInvalid, orElse(cloud.Ranges[rule.attribute], cloud.Range), "invalid value",
				fmt.Sprintf("%s must be %s", rule.attribute, problem), fmt.Sprintf("write another value for %s, or leave it away", rule.attribute))
		}
	}
	switch cloud.Namespace {
	case "kube-system", "kube-public", "kube-node-lease":
		c.fail(codeInvalid, orElse(cloud.Ranges["namespace"], cloud.Range), "a namespace of Kubernetes",
			cloud.Namespace+" is one of Kubernetes itself: what controls the cluster would be among the pods and Secrets of the cloud, for which pod security is lifted", `write another one, such as namespace = "openstack"`)
	}
	if t := cloud.TLS; t != nil {
		c.tls(t, len(cloud.Services) > 0)
	}
	if e := cloud.Exposure; e != nil {
		c.exposure(e, len(cloud.Services) > 0)
	}
	c.physicalNetworks(cloud)
	if cloud.Ceph != nil {
		c.ceph(cloud)
	}
	for i := range cloud.Services {
		c.backends(cloud, &cloud.Services[i])
		c.cleanUp(cloud, &cloud.Services[i])
		c.images(cloud, &cloud.Services[i])
		c.adapter(cloud, &cloud.Services[i])
		c.network(cloud, &cloud.Services[i])
	}
	if !cloud.Deploys() {
		if len(cloud.Services) == 0 && cloud.OpenStack == nil && !inCluster {
			c.fail(codeIncomplete, cloud.Range, "nothing to deploy and nothing to reach",
				"the cloud has neither a service block, which deploys OpenStack, nor an openstack block, which says how to reach one that is there", "write one of them")
		}
		return
	}
	if cloud.StorageBackend == "" {
		for i := range cloud.Services {
			s := &cloud.Services[i]
			if known, _ := c.definition.Service(s.Name); s.Enabled && stores(s, known) {
				c.fail(codeIncomplete, s.Range, "no storage", fmt.Sprintf("%s keeps its data on the storage of the cloud, which does not say what that is", s.Name),
					`write in the cloud: storage_backend = "ceph", or "lvm"; or write backends in the service`)
			}
		}
	}
	if cloud.Release == "" {
		c.fail(codeIncomplete, cloud.Range, "no release", "the cloud deploys services, so it has to say which release of OpenStack", `write, for example: release = "2026.1"`)
	} else if cloud.Charts == nil {
		c.fail(codeIncomplete, cloud.Range, "no charts", "the cloud deploys services, so it has to say where their Helm charts come from",
			`write, for example: charts { repository = "oci://registry.example.org/openstack-helm" }`)
	}
}

// network checks that nothing moves packets beside what the cloud has for that: agents and OVN's controllers would each take away the
// flows that the other has in the same bridge.
func (c *checker) network(cloud *Cloud, s *Service) {
	const ovn = "ovn" // the backend as the service
	if s.Name == ovn && s.Enabled && cloud.NetworkBackend != ovn {
		c.fail(codeInvalid, s.Range, "another network backend", fmt.Sprintf("ovn moves the packets of a cloud with network_backend ovn, and this one has %s, whose agents look after the same bridge of each node", cloud.NetworkBackend),
			`write in the cloud: network_backend = "ovn"; or take the block away, or write enabled = false in it where it is deployed`)
	}
}

// tls checks that there are APIs that could speak it.
func (c *checker) tls(t *TLS, services bool) {
	switch {
	case !services:
		c.fail(codeIncomplete, t.Range, "nothing to secure", "the cloud has no service block, so it has no APIs of its own that could speak TLS",
			"take the block away; which authority an OpenStack that is there has says ca in the openstack block")
	case t.Services != nil && len(t.Services) == 0 && len(t.Backends) == 0:
		c.fail(codeInvalid, orElse(t.Ranges["services"], t.Range), "no service", "services names none, so the block means nothing", "name one, or take the block away; without the line it holds for all")
	}
}

// exposure checks what belongs together in how APIs are reached from outside.
func (c *checker) exposure(e *Exposure, services bool) {
	at := func(name string) diag.Range { return orElse(e.Ranges[name], e.Range) }
	switch {
	case !services:
		c.fail(codeIncomplete, e.Range, "nothing to expose", "the cloud has no service block, so it has no APIs of its own that could be reached from outside",
			"take the block away; how to reach an OpenStack that is there says the openstack block")
	case e.Class == "" && e.Gateway == nil:
		c.fail(codeIncomplete, e.Range, "nothing that serves the names", "exposure says neither which controller of Ingresses serves the names, nor which Gateway",
			`write, for example: ingress_class = "nginx", or gateway = { name = "public", namespace = "gateways" }`)
	}
	for _, name := range []string{"issuer", "certificate"} {
		if (name == "issuer" && e.Issuer == nil) || (name == "certificate" && e.Certificate == "") {
			continue
		}
		switch {
		case e.Gateway != nil:
			c.fail(codeInvalid, at(name), "the Gateway has the certificates", name+" is for Ingresses, and these names are served by a Gateway, whose listeners have certificates of their own",
				"take the line away, and give the certificate to the listener")
		case !e.TLS:
			c.fail(codeInvalid, at(name), "a certificate without TLS", name+" means nothing where tls = false", "take one of the two away")
		}
	}
}

// settings checks what one layer or several wrote for a service.
func (c *checker) settings(name string, settings []Setting) {
	service, known := c.definition.Service(name)
	for _, s := range settings {
		switch {
		case !known:
			c.fail(codeService, s.Range, "unknown service", fmt.Sprintf("there is no service %q", name), "there are: "+strings.Join(c.serviceNames(), ", "))
		case s.Name == "replicas":
			c.replicas(service, s)
		case s.Name == "storage_size" && !service.Takes(s.Name):
			c.fail(codeService, s.Range, "no storage", fmt.Sprintf("%s keeps no data on volumes of its own, so storage_size means nothing to it", name), "take the line away")
		case s.Name == "storage" && !service.Takes(s.Name):
			c.fail(codeService, s.Range, "no images", fmt.Sprintf("%s keeps no images, so storage means nothing to it", name), "take the line away")
		case s.Name == "virt_type" && !service.Takes(s.Name):
			c.fail(codeService, s.Range, "no hypervisor", fmt.Sprintf("%s runs no instances, so virt_type means nothing to it", name), "take the line away, or write it for nova")
		case s.Name == "version" && !service.Takes(s.Name):
			c.fail(codeService, s.Range, "no version of its own", fmt.Sprintf("%s has no version that could be chosen apart from its images", name), "take the line away; images of the service names images one by one")
		default:
			c.pods(service, s)
		}
	}
}

func (c *checker) serviceNames() []string {
	var names []string
	for _, s := range c.definition.Services() {
		names = append(names, s.Name)
	}
	return names
}

func (c *checker) replicas(service schema.Service, s Setting) {
	if !service.Scalable() {
		c.fail(codeService, s.Range, "no replicas", fmt.Sprintf("%s runs %s, so it has no replicas", service.Name, service.Runs()), "take the line away; the roles of nodes decide where it runs")
		return
	}
	counts, err := Replicas(service, s.Value)
	if err != nil {
		c.fail(codeService, s.Range, "invalid replicas", fmt.Sprintf("replicas of %s: %v", service.Name, err), exampleOf(service))
		return
	}
	for part, n := range counts {
		if n < 0 {
			c.fail(codeService, s.Range, "invalid replicas", fmt.Sprintf("%s of %s cannot run %d times", part, service.Name, n), exampleOf(service))
		}
		if n%2 == 0 && (n >= 0 && slices.Contains(service.Members, part) || n > 0 && slices.Contains(service.Grows, part)) {
			c.fail(codeInvalid, s.At(part), "no clear majority", fmt.Sprintf("%s of %s decides by majority, so it runs an odd number of times, and not %d", part, service.Name, n),
				"write an odd number, such as 3")
		}
	}
}

func exampleOf(service schema.Service) string {
	return fmt.Sprintf("write, for example: replicas = { %s = 3 }", service.Parts[0])
}

// Replicas reads the value of the attribute of that name: a number, which is meant for the
// service's first part, or a map from part to number.
func Replicas(service schema.Service, v cty.Value) (map[string]int, error) {
	return Counts(service.Parts, v)
}

func (c *checker) nodes(nodes []Node) {
	first := map[string]*Node{}
	for i := range nodes {
		n := &nodes[i]
		switch before := first[n.Name]; {
		case n.Name == "": // which was told
		case before == nil:
			first[n.Name] = n
		case before.Address.Block() == n.Address.Block():
			c.fail(codeNode, orElse(n.Ranges["name"], n.Range), "one node, two elements",
				fmt.Sprintf("%s and %s both stand for the node %q", before.Address, n.Address, n.Name), "make the names differ, such as with each.key")
		default:
			c.fail(codeNode, n.Range, "one node, two blocks",
				fmt.Sprintf("%s and %s both stand for the node %q", before.Address, n.Address, n.Name), "keep one of them")
		}
		for _, role := range n.Roles {
			if !slices.Contains(schema.Roles(), role) {
				c.fail(codeNode, orElse(n.Ranges["roles"], n.Range), "unknown role", fmt.Sprintf("there is no role %q; there are %s", role, strings.Join(schema.Roles(), ", ")), "write one of these")
			}
		}
	}
}

func orElse(r, other diag.Range) diag.Range {
	if r == (diag.Range{}) {
		return other
	}
	return r
}
