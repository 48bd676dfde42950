package helm

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// held is an object of the revision in force: the one that is deployed, until an upgrade has succeeded.
type held struct {
	object *unstructured.Unstructured
	tried  []*unstructured.Unstructured // what upgrades that did not succeed since may have made of it
	goes   bool                         // one of them has it no more, and may have deleted it
}

// inForce returns the objects of a revision with what those that were tried after it make of them.
func inForce(objects []*unstructured.Unstructured, tried ...[]*unstructured.Unstructured) []held {
	var all []held
	for _, object := range objects {
		ref := refOf(object)
		h := held{object: object}
		for _, later := range tried {
			i := slices.IndexFunc(later, func(o *unstructured.Unstructured) bool { return refOf(o) == ref })
			switch {
			case i < 0:
				h.goes = true
			case !slices.ContainsFunc(h.versions(), func(o *unstructured.Unstructured) bool { return reflect.DeepEqual(o, later[i]) }):
				h.tried = append(h.tried, later[i])
			}
		}
		all = append(all, h)
	}
	return all
}

// versions are all that Helm may have left the object as, the one in force first.
func (h held) versions() []*unstructured.Unstructured {
	return append([]*unstructured.Unstructured{h.object}, h.tried...)
}

// unfinished tells whether a revision failed on the way, or was cut off.
func (r *revision) unfinished() bool {
	return slices.Contains([]release.Status{release.StatusFailed, release.StatusPendingUpgrade, release.StatusPendingRollback}, r.status)
}

// held returns the objects of the revision in force.
func (r *revision) held() []unit.ObjectRef {
	refs := make([]unit.ObjectRef, 0, len(r.inForce))
	for _, h := range r.inForce {
		refs = append(refs, refOf(h.object))
	}
	return refs
}

// standing are the objects that may be there: those in force before what was tried since. Nil without a revision.
func (r *revision) standing() []*unstructured.Unstructured {
	if r == nil {
		return nil
	}
	objects := make([]*unstructured.Unstructured, 0, len(r.inForce)+len(r.objects))
	for _, h := range r.inForce {
		objects = append(objects, h.object)
	}
	return append(objects, r.objects...)
}

// findEdits takes for drift what somebody changed of the revision in force, or deleted, while another one is
// wanted and has to wait. Jobs are left out, as finished ones make room for it, and so is what only they can fill in.
func (d *Driver) findEdits(ctx context.Context, v *view) error {
	v.drift = nil
	for _, h := range v.newest.inForce {
		if h.object.GetKind() == kindJob {
			continue
		}
		ref := refOf(h.object)
		live := v.live[ref]
		if live == nil {
			if h.returns() && !slices.Contains(v.made(), ref) {
				v.drift = append(v.drift, drift{desired: h.object, missing: true})
			}
			continue
		}
		if live.GetDeletionTimestamp() != nil {
			continue
		}
		versions := h.versions()
		for i := range versions {
			var err error
			if versions[i], err = d.yielded(ctx, v, versions[i], live); err != nil {
				return err
			}
		}
		desired, fields := left(versions, d.cluster.Compare, live)
		if len(fields) == 0 {
			continue
		}
		if keeps, err := d.keepsPods(ctx, v, live, desired); err != nil || !keeps {
			if err != nil {
				return err
			}
			continue
		}
		unchanged, err := d.cluster.Unchanged(ctx, Manager, desired, live)
		if err != nil {
			return fmt.Errorf("compare %s: %w", ref, err)
		}
		if !unchanged {
			v.drift = append(v.drift, drift{desired: desired, fields: fields})
		}
	}
	return nil
}

// returns tells whether the object is created again as it is in force. An upgrade may have deleted it
// rightly. Data that the newer version of a process has taken over must not get the older one: which of them
// it was nobody can tell any more, so that waits for the upgrade.
func (h held) returns() bool {
	stateful := slices.Contains([]string{kindStatefulSet, kindDaemonSet}, h.object.GetKind())
	return !h.goes && (len(h.tried) == 0 || !stateful)
}

// left returns which version Helm left an object as, and how the live one differs from that; nothing when it does
// not. An upgrade that failed may or may not have come to it: it is what the live one has the fewest
// differences to, if those are among the differences to every other version. Where they are not, somebody
// changed the very fields that the upgrade changes: then nothing is returned, and the next upgrade decides.
func left(versions []*unstructured.Unstructured, compare func(desired, live *unstructured.Unstructured) []unit.Field,
	live *unstructured.Unstructured,
) (*unstructured.Unstructured, []unit.Field) {
	differences := make([][]unit.Field, 0, len(versions))
	for _, version := range versions {
		fields := compare(version, live)
		if len(fields) == 0 {
			return nil, nil
		}
		differences = append(differences, fields)
	}
	for i, fields := range differences {
		least := true
		for j, others := range differences {
			least = least && (i == j || len(fields) < len(others) && among(fields, others))
		}
		if least {
			return versions[i], fields
		}
	}
	return nil, nil
}

// among tells whether every path of some fields is one of others.
func among(fields, others []unit.Field) bool {
	return !slices.ContainsFunc(fields, func(f unit.Field) bool {
		return !slices.ContainsFunc(others, func(o unit.Field) bool { return o.Path == f.Path })
	})
}

// keepsPods tells whether an object can be put back without ending pods of a DaemonSet, which has to be
// admitted.
func (d *Driver) keepsPods(ctx context.Context, v *view, live, desired *unstructured.Unstructured) (bool, error) {
	if desired.GetKind() != kindDaemonSet {
		return true, nil
	}
	if v.want == nil {
		return false, nil
	}
	why, _, err := d.ends(ctx, v, live, desired)
	return why == "", err
}
