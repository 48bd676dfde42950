package helm

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// drift is an object of the release that is not as Helm left it.
type drift struct {
	desired *unstructured.Unstructured
	missing bool
	again   string // a finished Job: what is missing of what it made, so that it has to run again
	fields  []unit.Field
}

// findDrift compares the objects of the release with those that Helm applied.
func (d *Driver) findDrift(ctx context.Context, v *view) error {
	v.drift = nil
	lost, err := d.lost(ctx, v)
	if err != nil {
		return err
	}
	for _, desired := range v.newest.objects {
		live := v.live[refOf(desired)]
		if desired.GetKind() == kindJob {
			// A Job cannot be changed, and one with a time to live goes by itself.
			if _, goes, _ := unstructured.NestedFieldNoCopy(desired.Object, "spec", "ttlSecondsAfterFinished"); live == nil && !goes {
				v.drift = append(v.drift, drift{desired: desired, missing: true})
			}
			if live != nil && len(lost) > 0 && d.spent(v, live) {
				v.drift = append(v.drift, drift{desired: desired, again: lost[0].String()})
			}
			continue
		}
		if live == nil {
			v.drift = append(v.drift, drift{desired: desired, missing: true})
			continue
		}
		if live.GetDeletionTimestamp() != nil {
			continue
		}
		ours, err := d.yielded(ctx, v, desired, live)
		if err != nil {
			return err
		}
		fields := d.cluster.Compare(ours, live)
		if len(fields) == 0 {
			continue
		}
		unchanged, err := d.cluster.Unchanged(ctx, Manager, ours, live)
		if err != nil {
			return fmt.Errorf("compare %s: %w", refOf(desired), err)
		}
		if !unchanged {
			v.drift = append(v.drift, drift{desired: desired, fields: fields})
		}
	}
	return nil
}

// mendable returns what can be put back whatever else is to be done: not what ends pods of a DaemonSet, which
// has to be admitted, nor what may do so and was not looked at.
func (v *view) mendable() []drift {
	if !v.owned() {
		return nil
	}
	var found []drift
	for _, one := range v.drift {
		ref := refOf(one.desired)
		stops := slices.ContainsFunc(v.stops, func(s unit.Stop) bool { return s.Object == ref })
		if !stops && (one.missing || ref.Kind != kindDaemonSet || v.want != nil) {
			found = append(found, one)
		}
	}
	return found
}

// strays tells whether something is there to be repaired or removed, whatever the hooks do.
func (v *view) strays() bool { return len(v.drift)+len(v.removable()) > 0 }
