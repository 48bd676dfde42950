package openstack

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/endpoints"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/roles"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/services"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/users"
)

// catalogueEntry is one service of Keystone's catalogue.
type catalogueEntry struct {
	kind, name string
	base       string // without what differs from project to project
	suffix     string
}

func (r record) catalogue() []catalogueEntry {
	return []catalogueEntry{
		{kind: "identity", name: "keystone", base: r.authURL()},
		{kind: "image", name: "glance", base: loopback(r.Ports.Image)},
		{kind: "placement", name: "placement", base: loopback(r.Ports.Placement)},
		{kind: "network", name: "neutron", base: loopback(r.Ports.Network)},
		{kind: "compute", name: "nova", base: loopback(r.Ports.Compute) + "/v2.1"},
		{kind: "volumev3", name: "cinderv3", base: loopback(r.Ports.Volume) + "/v3", suffix: "/%(project_id)s"},
		{kind: "block-storage", name: "cinder", base: loopback(r.Ports.Volume) + "/v3", suffix: "/%(project_id)s"},
	}
}

// catalogueSQL points the endpoints of a restored database at this bed's ports.
func (r record) catalogueSQL() []string {
	var statements []string
	for _, entry := range r.catalogue() {
		statements = append(statements, fmt.Sprintf(
			"UPDATE keystone.endpoint e JOIN keystone.service s ON e.service_id = s.id SET e.url = %s WHERE s.type = %s",
			quote(entry.base+entry.suffix), quote(entry.kind)))
	}
	return statements
}

// fillKeystone makes what the services need to know each other, in a Keystone that holds no
// more than `keystone-manage bootstrap` makes.
func (r record) fillKeystone(ctx context.Context) error {
	provider, err := r.provider(ctx)
	if err != nil {
		return err
	}
	client, err := openstack.NewIdentityV3(provider, gophercloud.EndpointOpts{Region: region})
	if err != nil {
		return err
	}
	if err := makeServiceUser(ctx, client); err != nil {
		return fmt.Errorf("make the services' user: %w", err)
	}
	for _, entry := range r.catalogue() {
		if entry.kind == "identity" {
			continue // made by the bootstrap
		}
		service, err := services.Create(ctx, client, services.CreateOpts{Type: entry.kind, Extra: map[string]any{"name": entry.name}}).Extract()
		if err != nil {
			return fmt.Errorf("make service %s: %w", entry.kind, err)
		}
		for _, side := range []gophercloud.Availability{gophercloud.AvailabilityPublic, gophercloud.AvailabilityInternal, gophercloud.AvailabilityAdmin} {
			opts := endpoints.CreateOpts{Availability: side, Region: region, ServiceID: service.ID, URL: entry.base + entry.suffix, Name: entry.name}
			if _, err := endpoints.Create(ctx, client, opts).Extract(); err != nil {
				return fmt.Errorf("make the %s endpoint of %s: %w", side, entry.kind, err)
			}
		}
	}
	return nil
}

func makeServiceUser(ctx context.Context, client *gophercloud.ServiceClient) error {
	project, err := projects.Create(ctx, client, projects.CreateOpts{Name: "service", DomainID: "default"}).Extract()
	if err != nil {
		return err
	}
	user, err := users.Create(ctx, client, users.CreateOpts{Name: serviceUser, DomainID: "default", Password: password}).Extract()
	if err != nil {
		return err
	}
	if _, err := roles.Create(ctx, client, roles.CreateOpts{Name: "service"}).Extract(); err != nil {
		return err
	}
	pages, err := roles.List(client, nil).AllPages(ctx)
	if err != nil {
		return err
	}
	all, err := roles.ExtractRoles(pages)
	if err != nil {
		return err
	}
	for _, role := range all {
		if role.Name != "admin" && role.Name != "service" {
			continue
		}
		if err := roles.Assign(ctx, client, role.ID, roles.AssignOpts{UserID: user.ID, ProjectID: project.ID}).ExtractErr(); err != nil {
			return err
		}
	}
	return nil
}
