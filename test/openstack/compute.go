package openstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/services"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

const (
	computeBinary = "nova-compute"
	stateUp       = "up"
	stateDown     = "down"
)

// Computes returns the names of the compute hosts in their order, or nil for a cloud that is
// not ours.
func (c *Cloud) Computes() []string {
	if c.bed == nil {
		return nil
	}
	var names []string
	for n := 1; n <= c.bed.Computes; n++ {
		names = append(names, computeName(n))
	}
	return names
}

// StopCompute ends the n-th compute host, counted from one, and returns when Nova reports it
// down. Its process is asked to end first, and has nothing to tell Nova when it does. Nova's
// patience is not waited for: the host's last report is aged instead. Stopping a stopped host is not an error.
func (c *Cloud) StopCompute(ctx context.Context, n int) error {
	s, client, err := c.computeHost(ctx, n)
	if err != nil {
		return fmt.Errorf("stop compute %d: %w", n, err)
	}
	p, err := process.Load(c.bed.runDir(), s.name)
	if err == nil {
		err = p.Stop(ctx, 5*time.Second)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("stop compute %d: %w", n, err)
	}
	if err := c.bed.awaitDown(ctx, client, computeName(n)); err != nil {
		return fmt.Errorf("stop compute %d: %w", n, err)
	}
	return nil
}

// awaitDown ages the report of a stopped host until Nova has called it down for a second: a
// report that was under way when the host ended may still arrive.
func (r record) awaitDown(ctx context.Context, client *gophercloud.ServiceClient, host string) error {
	var since time.Time
	return r.await(ctx, host+" to be reported down", nil, func(ctx context.Context) (bool, error) {
		states, err := computeStates(ctx, client)
		if err != nil {
			return false, err
		}
		if states[serviceKey{computeBinary, host}] == stateDown {
			if since.IsZero() {
				since = time.Now()
			}
			return time.Since(since) >= time.Second, nil
		}
		since = time.Time{}
		_, err = r.sql(ctx, fmt.Sprintf("UPDATE nova.services SET last_seen_up = '2000-01-01' WHERE `binary` = %s AND host = %s AND deleted = 0", quote(computeBinary), quote(host)))
		return false, err
	})
}

// StartCompute starts the n-th compute host again and returns when Nova reports it up. Its
// servers are as they were. Starting a host that runs is not an error.
func (c *Cloud) StartCompute(ctx context.Context, n int) error {
	s, client, err := c.computeHost(ctx, n)
	if err != nil {
		return fmt.Errorf("start compute %d: %w", n, err)
	}
	p, err := process.Load(c.bed.runDir(), s.name)
	if err != nil || !p.Alive() {
		s.lasting = true // the bed may be one that others use after this test
		if err := c.bed.start(s); err != nil {
			return err
		}
	}
	err = c.bed.await(ctx, s.name+" to be reported up", []server{s}, func(ctx context.Context) (bool, error) {
		states, err := computeStates(ctx, client)
		return states[serviceKey{computeBinary, computeName(n)}] == stateUp, err
	})
	if err != nil {
		return fmt.Errorf("start compute %d: %w", n, err)
	}
	return nil
}

func (c *Cloud) computeHost(ctx context.Context, n int) (server, *gophercloud.ServiceClient, error) {
	if c.bed == nil {
		return server{}, nil, ErrNotOurs
	}
	if n < 1 || n > c.bed.Computes {
		return server{}, nil, fmt.Errorf("there are only computes 1 to %d", c.bed.Computes)
	}
	provider, err := c.Provider(ctx)
	if err != nil {
		return server{}, nil, err
	}
	client, err := openstack.NewComputeV2(provider, gophercloud.EndpointOpts{Region: c.Region})
	return c.bed.compute(n), client, err
}

type serviceKey struct{ binary, host string }

// computeStates returns "up" or "down" for each of Nova's services.
func computeStates(ctx context.Context, client *gophercloud.ServiceClient) (map[serviceKey]string, error) {
	pages, err := services.List(client, nil).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	all, err := services.ExtractServices(pages)
	if err != nil {
		return nil, err
	}
	states := map[serviceKey]string{}
	for _, service := range all {
		states[serviceKey{service.Binary, service.Host}] = service.State
	}
	return states, nil
}
