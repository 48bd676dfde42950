package world

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/keypairs"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
	"github.com/gophercloud/gophercloud/v2/pagination"
)

// Object is one thing in OpenStack.
type Object struct {
	Kind, ID, Name string
	Project        string // its id, "" for kinds that lie in none
	Mark           string // the product's, "" without
}

// Objects are some of them.
type Objects []Object

// Names returns the objects as "kind name", sorted. What has no name has its id.
func (list Objects) Names() []string {
	var names []string
	for _, o := range list {
		name := o.Name
		if name == "" {
			name = o.ID
		}
		names = append(names, o.Kind+" "+name)
	}
	slices.Sort(names)
	return names
}

// markPattern finds the product's mark wherever a kind has it.
var markPattern = regexp.MustCompile(`kupenstack:[a-z2-7]+\.[a-z2-7]+`)

// Objects lists every kind and returns what is this world's: what has a name with its prefix, lies in
// a project of it, or is, or bears the mark of, one that is known from before.
func (w *World) Objects(t testing.TB, before Objects) Objects {
	t.Helper()
	var all Objects
	for _, kind := range w.kinds(t) {
		all = append(all, kind.list(t)...)
	}
	ours := map[string]bool{} // projects
	known := map[string]bool{}
	for _, o := range before {
		known[o.Kind+" "+o.ID], known[o.Mark] = true, o.Mark != ""
	}
	for _, o := range slices.Concat(all, before) {
		if o.Kind == "project" && strings.HasPrefix(o.Name, w.Files.Prefix) {
			ours[o.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(o Object) bool {
		return !strings.HasPrefix(o.Name, w.Files.Prefix) && !ours[o.Project] && !known[o.Kind+" "+o.ID] && (o.Mark == "" || !known[o.Mark])
	})
}

// listing is how all objects of a kind are listed, those of all projects.
type listing struct {
	kind, key string
	pager     pagination.Pager
}

func (w *World) kinds(t testing.TB) []listing {
	t.Helper()
	identity, network, image := w.service(t, client.NewIdentityV3), w.service(t, client.NewNetworkV2), w.service(t, client.NewImageV2)
	compute, described := w.service(t, client.NewComputeV2), w.service(t, client.NewComputeV2)
	described.Microversion = "2.55" // the first that shows the description of a flavor
	return []listing{
		{"project", "projects", projects.List(identity, nil)},
		{"image", "images", images.List(image, nil)},
		{"flavor", "flavors", flavors.ListDetail(described, flavors.ListOpts{AccessType: flavors.AllAccess})},
		{"keypair", "keypairs", keypairs.List(compute, nil)},
		{"instance", "servers", servers.List(compute, servers.ListOpts{AllTenants: true})},
		{"network", "networks", networks.List(network, nil)},
		{"subnet", "subnets", subnets.List(network, nil)},
		{"router", "routers", routers.List(network, nil)},
		{"security_group", "security_groups", groups.List(network, groups.ListOpts{})},
		{"port", "ports", ports.List(network, nil)},
	}
}

func (l listing) list(t testing.TB) Objects {
	t.Helper()
	var objects Objects
	for _, raw := range l.raw(t) {
		text, err := json.Marshal(raw)
		if err != nil {
			t.Fatal(err)
		}
		o := Object{Kind: l.kind, Mark: markPattern.FindString(string(text))}
		o.ID, _ = raw["id"].(string)
		o.Name, _ = raw["name"].(string)
		for _, key := range []string{"tenant_id", "project_id"} {
			if project, _ := raw[key].(string); project != "" {
				o.Project = project
			}
		}
		objects = append(objects, o)
	}
	return objects
}

// raw returns the objects as the API shows them. A key pair's id is its name.
func (l listing) raw(t testing.TB) []map[string]any {
	t.Helper()
	var objects []map[string]any
	err := l.pager.EachPage(t.Context(), func(_ context.Context, page pagination.Page) (bool, error) {
		body, _ := page.GetBody().(map[string]any)
		elements, ok := body[l.key].([]any)
		if !ok {
			return false, fmt.Errorf("the answer has no %s", l.key)
		}
		for _, element := range elements {
			raw, _ := element.(map[string]any)
			if inner, ok := raw["keypair"].(map[string]any); ok {
				raw = inner
				raw["id"] = raw["name"]
			}
			objects = append(objects, raw)
		}
		return true, nil
	})
	if err != nil {
		t.Fatalf("list every %s: %v", l.kind, err)
	}
	return objects
}
