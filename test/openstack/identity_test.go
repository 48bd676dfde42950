//go:build beds

package openstack_test

import (
	"context"
	"slices"
	"testing"

	volumequotas "github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/quotasets"
	computequotas "github.com/gophercloud/gophercloud/v2/openstack/compute/v2/quotasets"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/roles"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/users"
	networkquotas "github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/quotas"
)

func makeProject(t *testing.T, c clients) *projects.Project {
	t.Helper()
	project := must(projects.Create(t.Context(), c.identity, projects.CreateOpts{
		Name: unique(t, "project"), DomainID: "default", Tags: []string{"mine"},
	}).Extract())(t)
	remove(t, "project", func(ctx context.Context) error { return projects.Delete(ctx, c.identity, project.ID).ExtractErr() })
	return project
}

func TestProjectUserAndRole(t *testing.T) {
	t.Parallel()
	c := shared(t)
	project := makeProject(t, c)
	read := must(projects.Get(t.Context(), c.identity, project.ID).Extract())(t)
	if !slices.Equal(read.Tags, []string{"mine"}) {
		t.Errorf("the project's tags are %q", read.Tags)
	}
	user := must(users.Create(t.Context(), c.identity, users.CreateOpts{
		Name: unique(t, "user"), DomainID: "default", Password: "pass", DefaultProjectID: project.ID,
	}).Extract())(t)
	remove(t, "user", func(ctx context.Context) error { return users.Delete(ctx, c.identity, user.ID).ExtractErr() })

	member := findRole(t, c, "member")
	if err := roles.Assign(t.Context(), c.identity, member, roles.AssignOpts{UserID: user.ID, ProjectID: project.ID}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	pages, err := roles.ListAssignments(c.identity, roles.ListAssignmentsOpts{UserID: user.ID, IncludeNames: pointer(true)}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	assignments := must(roles.ExtractRoleAssignments(pages))(t)
	if len(assignments) != 1 || assignments[0].Role.Name != "member" || assignments[0].Scope.Project.Name != project.Name {
		t.Errorf("the user's assignments are %+v", assignments)
	}
}

func findRole(t *testing.T, c clients, name string) string {
	t.Helper()
	pages, err := roles.List(c.identity, roles.ListOpts{Name: name}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := must(roles.ExtractRoles(pages))(t)
	if len(found) != 1 {
		t.Fatalf("there are %d roles %q", len(found), name)
	}
	return found[0].ID
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	c := shared(t)
	project := makeProject(t, c)
	const networks, instances, volumes = 77, 33, 44
	must(networkquotas.Update(t.Context(), c.network, project.ID, networkquotas.UpdateOpts{Network: pointer(networks)}).Extract())(t)
	remove(t, "network quotas", func(ctx context.Context) error { return networkquotas.Delete(ctx, c.network, project.ID).ExtractErr() })
	must(computequotas.Update(t.Context(), c.compute, project.ID, computequotas.UpdateOpts{Instances: pointer(instances)}).Extract())(t)
	remove(t, "compute quotas", func(ctx context.Context) error { return computequotas.Delete(ctx, c.compute, project.ID).Err })
	must(volumequotas.Update(t.Context(), c.volume, project.ID, volumequotas.UpdateOpts{Volumes: pointer(volumes)}).Extract())(t)
	remove(t, "volume quotas", func(ctx context.Context) error { return volumequotas.Delete(ctx, c.volume, project.ID).ExtractErr() })

	network := must(networkquotas.Get(t.Context(), c.network, project.ID).Extract())(t)
	compute := must(computequotas.Get(t.Context(), c.compute, project.ID).Extract())(t)
	volume := must(volumequotas.Get(t.Context(), c.volume, project.ID).Extract())(t)
	if network.Network != networks || compute.Instances != instances || volume.Volumes != volumes {
		t.Errorf("quotas are %d networks, %d instances, %d volumes", network.Network, compute.Instances, volume.Volumes)
	}
}
