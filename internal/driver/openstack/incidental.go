package openstack

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// What comes and goes with others is not exported: nobody declares it, and a configuration that had it would delete
// it with a block that is taken out.

// incidental is a kind of which some objects come and go with others.
type incidental interface {
	// incidental tells whether the object is one of those, which nobody declares.
	incidental(o *object) bool
}

// placed is a kind of which the place of some objects tells whether they are incidental, which a list does not have.
type placed interface {
	placed(ctx context.Context, s *session, o *object) *object
}

// shared is a kind of which others write some attributes.
type shared interface {
	// theirs are the attributes of the object that are not for a configuration to say.
	theirs(o *object) []string
}

// ownKeys is a kind in whose maps the service keeps something of its own.
type ownKeys interface {
	// own are the keys of an attribute that the service writes by itself.
	own(attribute string) []string
}

// withoutOwn is the value of an attribute without what the service keeps there by itself.
func withoutOwn(k kind, name string, v cty.Value) cty.Value {
	by, ok := k.(ownKeys)
	if !ok || v.IsNull() || !v.IsWhollyKnown() || !v.Type().IsMapType() || v.LengthInt() == 0 {
		return v
	}
	elements := v.AsValueMap()
	for _, key := range by.own(name) {
		delete(elements, key)
	}
	if len(elements) == 0 {
		return cty.MapValEmpty(v.Type().ElementType())
	}
	return cty.MapVal(elements)
}

// own are those by which Cinder tells how a volume is attached. They come and go with that.
func (k volumeKind) own(attribute string) []string {
	if attribute != "metadata" {
		return nil
	}
	return []string{"attached_mode", "readonly"}
}

// ofOurs tells whether an object is one that we reach the cloud by.
func (s *session) ofOurs(kind string, o *object) bool {
	return map[string]string{"user": s.user, "domain": s.domain, "region": s.place.Region}[kind] == o.id && o.id != ""
}

// The names that deployments give what their services log in as. Nobody can tell otherwise that those are not
// people's.
const serviceProject = "service"

// incidental are the domain that Keystone makes, and those of service users.
func (k domainKind) incidental(o *object) bool {
	return o.id == defaultDomain || ofServices(o.title)
}

// ofServices tells whether a domain of that name is for service users.
func ofServices(domain string) bool { return slices.Contains([]string{serviceProject, "heat"}, domain) }

// domainName is what the domain is called that an object is in, where our user may see it.
type domainName string

// administrates tells whether something is what Keystone is set up with for the administrator of the cloud. In other
// domains the owners of these call theirs so.
func administrates(o *object) bool { return o.title == "admin" && o.scope == defaultDomain }

// defaultDomain is the id of the domain that Keystone makes.
const defaultDomain = "default"

// incidental are the projects of the administrator and of service users, which are in the domain that Keystone makes or in one for
// services. In any other one, a project is called as people like.
func (k projectKind) incidental(o *object) bool {
	name, told := o.detail.(domainName)
	return administrates(o) || o.title == serviceProject && (o.scope == defaultDomain || !told || ofServices(string(name)))
}

// placed is a project with the name of its domain, where that tells what it is for and our user may see it.
func (k projectKind) placed(ctx context.Context, s *session, o *object) *object {
	if o.title != serviceProject || o.scope == defaultDomain || o.scope == "" {
		return o
	}
	domain, err := s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: pathOf("domains", o.scope)}, "domain")
	if err != nil {
		return o
	}
	told := *o
	told.detail = domainName(textAt(domain, "name"))
	return &told
}

// incidental are the roles that Keystone makes.
func (k roleKind) incidental(o *object) bool {
	return o.scope == noPlace && slices.Contains([]string{"admin", "manager", "member", "reader", "service"}, o.title)
}

// incidental are the administrator and service users, which are in the domain that Keystone makes or in one for services. In
// any other one, people are called as they like.
func (k userKind) incidental(o *object) bool {
	name, told := o.detail.(domainName)
	if told && o.scope != defaultDomain && !ofServices(string(name)) {
		return false
	}
	return administrates(o) || slices.Contains([]string{
		"aodh", "barbican", "blazar", "ceilometer", "cinder", "cloudkitty", "cyborg", "designate", "glance", "gnocchi", "heat", "heat-domain",
		"heat-trust", "ironic", "keystone", "magnum", "manila", "masakari", "mistral", "neutron", "nova", "octavia", "placement", "swift", "tacker",
		"trove", "watcher", "zun",
	}, strings.TrimSuffix(o.title, "-test"))
}

// incidental are the services of OpenStack, which whoever deploys them puts into the catalogue.
func (k catalogueServiceKind) incidental(o *object) bool {
	return slices.Contains([]string{
		"identity", serviceCompute, "compute_legacy", serviceNetwork, serviceImage, servicePlacement, "block-storage", "block-store", "volume", "volumev2",
		"volumev3", "object-store", "orchestration", "cloudformation", "dns", "load-balancer", "key-manager", "baremetal", "baremetal-introspection",
		"container-infra", "share", "sharev2", "shared-file-system", "metric", "alarming", "rating", "instance-ha", "workflowv2",
	}, textAt(o.raw, "type"))
}

// incidental are the networks that Neutron makes for redundant routers, which are in no project.
func (k networkKind) incidental(o *object) bool { return o.project == "" }

// incidental are the subnets of such networks.
func (k subnetKind) incidental(o *object) bool { return o.project == "" }

// incidental is the group that Neutron gives every project.
func (k securityGroupKind) incidental(o *object) bool { return o.title == defaultGroup }

// ownedByCompute is what the owners of ports begin with that instances have.
const ownedByCompute = "compute:"

// incidental are the ports that routers, DHCP and other services make, and those that Nova makes, which have no name.
func (k portKind) incidental(o *object) bool {
	owner := textAt(o.raw, "device_owner")
	switch {
	case owner == "", owner == "trunk:subport":
		return false
	case strings.HasPrefix(owner, ownedByCompute):
		return o.title == ""
	}
	return true
}

// theirs is where and how the port is plugged in, once something has it.
func (k portKind) theirs(o *object) []string {
	if textAt(o.raw, "device_id") == "" && textAt(o.raw, "device_owner") == "" {
		return nil
	}
	return []string{hostAttribute, profileAttribute}
}

// incidental are the rights that Neutron gives to all with what is shared or external, which says so itself.
func (k rbacPolicyKind) incidental(o *object) bool {
	return textAt(o.raw, "target_tenant") == "*" &&
		slices.Contains([]string{"network", "qos_policy", "address_scope", "subnetpool"}, textAt(o.raw, "object_type"))
}

// incidental is the type that Cinder makes.
func (k volumeTypeKind) incidental(o *object) bool { return o.title == "__DEFAULT__" }

// incidental are those of the volumes that instances run from, which their blocks say.
func (k attachmentKind) incidental(o *object) bool { return bootDevice(textOf(o.values.get("device"))) }
