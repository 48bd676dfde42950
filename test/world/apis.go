package world

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/services"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// Writes returns what the commands changed in Kubernetes since an offset of the audit log, but
// leases and dry runs.
func (w *World) Writes(t testing.TB, since int64) []string {
	t.Helper()
	return w.audited(t, since, func(e cluster.Event) bool {
		return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, e.Verb) && !strings.Contains(e.URI, "dryRun=All")
	})
}

// Named returns what the commands asked of Kubernetes about one object alone since an offset of the
// audit log, dry runs included, but leases. A list or a watch that selects one name counts, too.
func (w *World) Named(t testing.TB, since int64) []string {
	t.Helper()
	return w.audited(t, since, func(e cluster.Event) bool { return e.Object.Name != "" })
}

// audited returns the requests of the commands that are wanted, without those for leases and tokens.
func (w *World) audited(t testing.TB, since int64, wanted func(cluster.Event) bool) []string {
	t.Helper()
	events, _, err := w.Cluster.Events(since)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range events {
		if e.User == accountName && e.Object.Resource != "leases" && e.Object.Subresource != "token" && wanted(e) {
			found = append(found, e.Verb+" "+e.URI)
		}
	}
	return found
}

// service returns a client for one of OpenStack's APIs.
func (w *World) service(t testing.TB, open opener) *gophercloud.ServiceClient {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.provider == nil {
		provider, err := w.Cloud.Provider(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.provider = provider
	}
	c, err := open(w.provider, gophercloud.EndpointOpts{Region: w.Cloud.Region})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Servers returns the servers of the world's project, by name.
func (w *World) Servers(t testing.TB) []servers.Server {
	t.Helper()
	pages, err := projects.List(w.service(t, client.NewIdentityV3), projects.ListOpts{Name: w.Files.Prefix + "dev"}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := projects.ExtractProjects(pages)
	if err != nil || len(found) != 1 {
		t.Fatalf("there are %d projects %sdev, want 1; error %v", len(found), w.Files.Prefix, err)
	}
	pages, err = servers.List(w.service(t, client.NewComputeV2), servers.ListOpts{AllTenants: true, TenantID: found[0].ID}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := servers.ExtractServers(pages)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b servers.Server) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// ComputeService tells how the compute service on a host stands, and why it is disabled.
func (w *World) ComputeService(t testing.TB, host string) (status, reason string) {
	t.Helper()
	pages, err := services.List(w.service(t, client.NewComputeV2), services.ListOpts{Binary: "nova-compute", Host: host}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := services.ExtractServices(pages)
	if err != nil || len(list) != 1 {
		t.Fatalf("there are %d compute services on %s, want 1; error %v", len(list), host, err)
	}
	return list[0].Status, list[0].DisabledReason
}

// DeleteServer deletes a server behind the product's back.
func (w *World) DeleteServer(t testing.TB, id string) {
	t.Helper()
	w.Meddle(t, "compute", http.MethodDelete, "servers/"+id, nil)
}

// Networks returns all networks of the cloud, those of other tests too.
func (w *World) Networks(t testing.TB) []networks.Network {
	t.Helper()
	pages, err := networks.List(w.service(t, client.NewNetworkV2), networks.ListOpts{}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := networks.ExtractNetworks(pages)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Network returns the network of a name, of which there must be one.
func (w *World) Network(t testing.TB, name string) networks.Network {
	t.Helper()
	list := w.Networks(t)
	list = slices.DeleteFunc(list, func(n networks.Network) bool { return n.Name != name })
	if len(list) != 1 {
		t.Fatalf("there are %d networks %s, want 1", len(list), name)
	}
	return list[0]
}
