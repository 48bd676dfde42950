package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// galeraState is the end of the name of the ConfigMap in which the chart of MariaDB notes that the databases were
// made. Without the volumes it would be wrong, and keep new ones from being made; without it, those in volumes that
// stay would be made anew.
const galeraState = "-mariadb-state"

// Claim is a claim to a volume that a release has, a note about what is in it that goes with it, or a Secret with keys.
type Claim struct {
	Ref     unit.ObjectRef
	UID     types.UID
	Release string
	Size    string // "" for what has none
}

// keysOf returns the name of the release whose hooks have made a Secret that outlives it, "" for any other Secret.
// Keystone's keys are such: what is encrypted with them, in tokens and in its database, is lost without them.
func keysOf(object *metav1.PartialObjectMetadata) string {
	if object.Annotations[annotationPolicy] != policyKeep {
		return ""
	}
	return object.Annotations[annotationRelease]
}

// Data returns the claims to volumes of releases, whether these are there or not, and what goes with them, in order:
// keys are the last, as they may be needed for what is in volumes that turn out to stay.
func (d *Driver) Data(ctx context.Context, namespace string, releases []string) ([]Claim, error) {
	var found []Claim
	for _, of := range []struct {
		kind, resource, selector string
		whose                    func(*metav1.PartialObjectMetadata) string
	}{
		{kindClaim, "persistentvolumeclaims", "", func(o *metav1.PartialObjectMetadata) string { return releaseOf(kindClaim, o) }},
		{"ConfigMap", "configmaps", "", func(o *metav1.PartialObjectMetadata) string {
			if name, is := strings.CutSuffix(o.Name, galeraState); is {
				return name
			}
			return ""
		}},
		{kindSecret, "secrets", labelManagedBy + "=" + managedByHelm, keysOf},
	} {
		items, err := d.api.Metadata(ctx, schema.GroupVersionResource{Version: "v1", Resource: of.resource}, namespace, of.selector)
		if err != nil {
			return nil, fmt.Errorf("list the %s in %s: %w", of.resource, namespace, err)
		}
		for i := range items {
			item := &items[i]
			claim := Claim{Ref: unit.ObjectRef{APIVersion: "v1", Kind: of.kind, Namespace: namespace, Name: item.Name}, UID: item.UID, Release: of.whose(item)}
			if !slices.Contains(releases, claim.Release) {
				continue
			}
			if of.kind == kindClaim {
				if claim.Size, err = d.sizeOf(ctx, claim.Ref); err != nil {
					return nil, err
				}
			}
			found = append(found, claim)
		}
	}
	return found, nil
}

// sizeOf returns how large the volume of a claim is, or is to be while there is none.
func (d *Driver) sizeOf(ctx context.Context, ref unit.ObjectRef) (string, error) {
	live, err := d.cluster.Confirm(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", ref, err)
	}
	if live == nil { // it has gone meanwhile
		return "", nil
	}
	size, found, _ := unstructured.NestedString(live.Object, "status", "capacity", "storage")
	if !found {
		size, _, _ = unstructured.NestedString(live.Object, "spec", "resources", "requests", "storage")
	}
	return size, nil
}

// DeleteData deletes claims that [Driver.Data] has returned, of releases that are gone by now, and returns what it
// deleted, in order, and a line for each release whose data stays because something works with it: that is so where
// somebody has deleted the history alone. Nothing else is deleted: one of the same name that was made since has another
// UID. The data of a release that is there stays, as does all of it when it is not known whether one is there, or what
// works with it. Keys stay as long as anything else does that was to go.
// Nothing but what a person types leads here. What a configuration names goes with [Driver.Delete].
func (d *Driver) DeleteData(ctx context.Context, namespace string, claims []Claim) (deleted []unit.ObjectRef, stay []string, err error) {
	histories, err := d.list(ctx, namespace, "")
	if err != nil {
		return nil, nil, err
	}
	recorded := func(claim Claim) bool { return len(histories[namespace+"/"+claim.Release]) > 0 }
	users, err := d.usersLeft(ctx, namespace, slices.DeleteFunc(slices.Clone(claims), recorded))
	if err != nil {
		return nil, nil, fmt.Errorf("it is not known what works with it, so all data stays: %w", err)
	}
	var failures []error
	kept := map[string]bool{} // releases with something that stays
	for _, claim := range claims {
		if recorded(claim) {
			if !kept[claim.Release] {
				failures, kept[claim.Release] = append(failures, fmt.Errorf("release %s/%s is still there, so its data stays", namespace, claim.Release)), true
			}
			continue
		}
		if u, used := users[claim.Release]; used {
			if !kept[claim.Release] {
				stay, kept[claim.Release] = append(stay, fmt.Sprintf("the data of %s stays: its release has no history, but %s; delete that first", claim.Release, u)), true
			}
			continue
		}
		if claim.Ref.Kind != kindClaim && kept[claim.Release] { // the databases are still in a volume then
			continue
		}
		if claim.Ref.Kind == kindSecret && len(failures)+len(stay) > 0 {
			continue
		}
		if err := d.cluster.Delete(ctx, claim.Ref, claim.UID); err != nil {
			failures, kept[claim.Release] = append(failures, fmt.Errorf("delete %s: %w", claim.Ref, err)), true
			continue
		}
		deleted = append(deleted, claim.Ref)
	}
	return deleted, stay, errors.Join(failures...)
}
