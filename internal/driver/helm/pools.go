package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/cleanup"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// findStuck finds out beforehand what of what is to go with a release cannot. What it could not look at, the step tells.
func (d *Driver) findStuck(ctx context.Context, v *view) {
	for _, name := range v.target.CleanUp {
		_, err := d.allowed(ctx, v, []string{name})
		if !unit.IsBlocked(err) {
			continue
		}
		if v.stuck == nil {
			v.stuck = map[string]unit.Stuck{}
		}
		why := unit.Stuck{Why: err.Error()}
		var shared *sharedError
		if errors.As(err, &shared) {
			why.By = shared.by
		}
		v.stuck[name] = why
	}
}

// sharedError says that other releases keep something in a pool.
type sharedError struct {
	error
	by []unit.Locator
}

func (e *sharedError) Unwrap() error { return e.error }

// allowed returns the Jobs that take away some of what is to go with a release, unless one of them would delete a pool of
// Ceph's that another release keeps something in.
func (d *Driver) allowed(ctx context.Context, v *view, names []string) ([]hook, error) {
	hooks, err := d.cleaners(v, names)
	if err != nil {
		return nil, err
	}
	var pools []string
	for _, h := range hooks {
		pools = append(pools, cleanup.Pools(h.object)...)
	}
	if len(pools) == 0 || !slices.Contains(names, schema.LeftPools) {
		return hooks, nil
	}
	histories, err := d.list(ctx, v.namespace, "")
	if err != nil {
		return nil, err
	}
	var shared *sharedError
	for _, id := range slices.Sorted(maps.Keys(histories)) {
		name := strings.TrimPrefix(id, v.namespace+"/")
		if name == v.name {
			continue
		}
		other, err := d.newest(ctx, v.namespace, name, histories[id])
		if err != nil {
			return nil, fmt.Errorf("see whether release %s uses the same pools of Ceph: %w", id, err)
		}
		if other == nil || other.status == release.StatusUninstalled {
			continue
		}
		objects, err := d.consistsOf(other, v.namespace)
		if err != nil {
			return nil, err
		}
		for _, pool := range pools {
			if !cleanup.Uses(other.config, objects, pool) {
				continue
			}
			if shared == nil {
				shared = &sharedError{error: unit.Blocked(fmt.Sprintf("the pool %s is used by release %s as well: take %q out of clean_up of %s, and delete the pool by hand once nobody needs it",
					pool, id, schema.LeftPools, v.name))}
			}
			shared.by = append(shared.by, unit.Locator{Driver: unit.Helm, Kind: unit.KindRelease, Namespace: v.namespace, Name: name})
		}
	}
	if shared != nil {
		return nil, shared
	}
	return hooks, nil
}
