package helm

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// made are the objects that Jobs of the release make or fill in.
func (v *view) made() []unit.ObjectRef {
	if spec, ok := v.target.Spec.(*unit.Release); ok && spec != nil {
		return spec.Made
	}
	return nil
}

// lost are those of them that are missing. The API server is asked, as what Jobs make has no label that watches look for.
func (d *Driver) lost(ctx context.Context, v *view) ([]unit.ObjectRef, error) {
	var refs []unit.ObjectRef
	for _, ref := range v.made() {
		live, err := d.cluster.Confirm(ctx, ref)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", ref, err)
		}
		if live == nil {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

// spent tells whether a Job of the release has done its work, and is not on its way out.
func (d *Driver) spent(v *view, live *unstructured.Unstructured) bool {
	result, _ := d.outcomeOf(live)
	return result == outcomeDone && v.owns(live) && live.GetDeletionTimestamp() == nil && !stays(live)
}

// runAgain deletes finished Jobs whose work is lost, for a later step to create them again. They go before anything comes
// back, as nobody would see any more that it has to be filled in.
func (d *Driver) runAgain(ctx context.Context, v *view, found []drift) error {
	if lost, err := d.lost(ctx, v); err != nil || len(lost) == 0 {
		return err // it may be back since
	}
	for _, one := range found {
		if one.again == "" {
			continue
		}
		ref := refOf(one.desired)
		live, err := d.cluster.Confirm(ctx, ref)
		if err != nil {
			return fmt.Errorf("look at %s: %w", ref, err)
		}
		if live == nil || !d.spent(v, live) {
			continue
		}
		if err := d.cluster.Delete(ctx, ref, live.GetUID()); err != nil {
			return fmt.Errorf("have %s run again: %w", ref, err)
		}
	}
	return nil
}
