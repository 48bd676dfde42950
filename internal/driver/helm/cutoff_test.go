//go:build beds

package helm_test

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

var errKilled = errors.New("killed")

// cutOff is a cluster that can be written to so often, and then no more; the last write arrives,
// but its answer does not. That is what a kill looks like from outside.
type cutOff struct {
	helm.Cluster
	mu   sync.Mutex
	left int
}

func (c *cutOff) gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left <= 0
}

// spend tells whether a write may arrive, and whether its answer may.
func (c *cutOff) spend() (arrives, answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left--
	return c.left >= 0, c.left > 0
}

func (c *cutOff) Apply(ctx context.Context, manager string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	arrives, answered := c.spend()
	if !arrives {
		return nil, errKilled
	}
	applied, err := c.Cluster.Apply(ctx, manager, object)
	if !answered {
		return nil, errKilled
	}
	return applied, err
}

func (c *cutOff) Create(ctx context.Context, manager string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	arrives, answered := c.spend()
	if !arrives {
		return nil, errKilled
	}
	created, err := c.Cluster.Create(ctx, manager, object)
	if !answered {
		return nil, errKilled
	}
	return created, err
}

func (c *cutOff) Delete(ctx context.Context, ref unit.ObjectRef, uid types.UID) error {
	arrives, answered := c.spend()
	if !arrives {
		return errKilled
	}
	err := c.Cluster.Delete(ctx, ref, uid)
	if !answered {
		return errKilled
	}
	return err
}
