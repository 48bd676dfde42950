//go:build beds

package openstack_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedRegisteredLimitWithLimits: what somebody made with a limit in its place is exported, adopted without a request, and gets its
// mark once the limit has gone.
func TestBedRegisteredLimitWithLimits(t *testing.T) {
	b := newBench(t)
	service, project := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "project", unique("project"), values{})
	b.converge(t, &service)
	b.converge(t, &project)
	of := func(kind, most string, more map[string]any) {
		body := map[string]any{"service_id": service.ID, "resource_name": "backups", most: 10}
		for key, value := range more {
			body[key] = value
		}
		asSystem(t, http.MethodPost, kind, map[string]any{kind: []any{body}})
	}
	of("registered_limits", "default_limit", nil)
	registered := target(t, "registered_limit", unique("registered"), values{"service": text(service.ID), "resource_name": text("backups"), "default_limit": cty.NumberIntVal(10)})
	id := b.see(t, registered).ID
	afterwards(t, func(ctx context.Context) error {
		if _, err := ask(ctx, t, identity, http.MethodDelete, "registered_limits/"+id, nil); !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return err
		}
		return nil
	})
	of("limits", "resource_limit", map[string]any{"project_id": project.ID})
	limit := target(t, "limit", unique("limit"), values{"service": text(service.ID), "resource_name": text("backups"), "project": text(project.ID), "resource_limit": cty.NumberIntVal(10)})
	limit.Import = b.see(t, limit).ID

	live, _, err := b.Live(t.Context(), []string{"registered_limit", "limit", "identity_service", "project"})
	if err != nil {
		t.Fatal(err)
	}
	var mine []unit.Live
	for _, o := range live {
		if o.ID == id || o.ID == limit.Import {
			mine = append(mine, o)
		}
	}
	if adoptsAll(t, b.Driver, mine, export.Selection{}); len(mine) != 2 {
		t.Errorf("%d objects are exported", len(mine))
	}
	registered.Import = id
	b.converge(t, &registered)
	b.converge(t, &limit)
	marked := func() bool {
		one, _ := request(t, identity, http.MethodGet, "registered_limits/"+id, nil)["registered_limit"].(map[string]any)
		description, _ := one["description"].(string)
		return strings.Contains(description, registered.Mark)
	}
	if registered.ID != id || marked() {
		t.Errorf("%s was adopted as %s, with a mark: %v", id, registered.ID, marked())
	}
	asSystem(t, http.MethodDelete, "limits/"+limit.ID, nil)
	if b.converge(t, &registered); !marked() {
		t.Error("it has no mark though nothing is in its place any more")
	}
}

// TestBedWhatHasRegisteredLimits: what somebody has registered for a service in a region keeps both, and is named.
func TestBedWhatHasRegisteredLimits(t *testing.T) {
	b := newBench(t)
	service, region := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "region", unique("region"), values{})
	b.converge(t, &service)
	b.converge(t, &region)
	asSystem(t, http.MethodPost, "registered_limits", map[string]any{"registered_limits": []any{
		map[string]any{"service_id": service.ID, "region_id": region.ID, "resource_name": "backups", "default_limit": 10},
	}})
	registered := target(t, "registered_limit", unique("registered"), values{"service": text(service.ID), "region": text(region.ID), "resource_name": text("backups"), "default_limit": cty.NumberIntVal(10)})
	id := b.see(t, registered).ID
	for _, tg := range []unit.Target{service, region} {
		if err := b.destroy(t.Context(), t, tg); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "backups ("+id+")") {
			t.Errorf("deleting %s says %v, want that it has %s", tg.Address, err, id)
		}
	}
	asSystem(t, http.MethodDelete, "registered_limits/"+id, nil)
	for _, tg := range []unit.Target{service, region} {
		if err := b.destroy(t.Context(), t, tg); err != nil {
			t.Errorf("deleting %s says %v", tg.Address, err)
		}
	}
}
