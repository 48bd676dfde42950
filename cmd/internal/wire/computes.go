package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// computes are the compute services of a cloud with our Nova. Where nobody says how to reach OpenStack, there is nothing
// to disable or enable before somebody does.
type computes struct {
	system    *System
	resources *openstack.Driver
	entries   *inventory.Inventory
}

var _ engine.Computes = computes{}

// hosts tells how many instances run on each host.
func (c computes) hosts(ctx context.Context) plan.Hosts {
	if m := c.system.Model(); !c.system.reaches() {
		if !hasCompute(c.entries) && (m == nil || m.Service("nova") == nil) {
			return plan.Hosts{None: true}
		}
		return plan.Hosts{Err: errors.New("nobody says how to reach OpenStack: write an openstack block, or give --os-cloud")}
	}
	count, err := c.resources.Hosts(ctx)
	return plan.Hosts{Count: count, Err: err}
}

// bearing are the nodes that Nova's chart runs compute services on.
func (c computes) bearing(ctx context.Context) ([]string, error) {
	return c.system.cluster.Bearing(ctx, unit.ComputeLabel, unit.LabelEnabled)
}

// Close disables those on the nodes that leave something.
func (c computes) Close(ctx context.Context, nodes []string, leaving map[string]string) (closed bool, err error) {
	if !c.system.reaches() {
		return false, nil
	}
	return c.resources.CloseComputes(ctx, nodes, leaving)
}

// Open enables what Close has disabled on the nodes that stay.
func (c computes) Open(ctx context.Context, nodes []string, staying map[string]time.Time) (left []string, err error) {
	if !c.system.reaches() {
		return nil, nil
	}
	if left, err = c.resources.OpenComputes(ctx, nodes, staying); err != nil {
		err = fmt.Errorf("enable compute services: %w", err)
	}
	return left, err
}
