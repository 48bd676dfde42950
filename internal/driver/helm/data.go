package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// galeraState is the end of the name of the ConfigMap in which the chart of MariaDB notes that the databases were
// made. Without the volumes it would be wrong, and keep new ones from being made; without it, those in volumes that
// stay would be made anew.
const galeraState = "-mariadb-state"

// DeleteData deletes the claims to volumes that releases have left which are gone, and returns what it deleted, in
// order. The data of a release that is there stays, as does all of it when it is not known whether one is there.
// Nothing but a person's word leads here: no configuration does.
func (d *Driver) DeleteData(ctx context.Context, namespace string, releases []string) ([]unit.ObjectRef, error) {
	histories, err := d.list(ctx, namespace, "")
	if err != nil {
		return nil, err
	}
	var failures []error
	gone := slices.DeleteFunc(slices.Clone(releases), func(name string) bool {
		there := len(histories[namespace+"/"+name]) > 0
		if there {
			failures = append(failures, fmt.Errorf("release %s/%s is still there, so its data stays", namespace, name))
		}
		return there
	})
	var deleted []unit.ObjectRef
	kept := map[string]bool{} // releases with something that could not be deleted
	for _, of := range []struct {
		kind, resource string
		whose          func(*metav1.PartialObjectMetadata) string
	}{
		{kindClaim, "persistentvolumeclaims", func(o *metav1.PartialObjectMetadata) string { return releaseOf(kindClaim, o) }},
		{"ConfigMap", "configmaps", func(o *metav1.PartialObjectMetadata) string {
			if name, is := strings.CutSuffix(o.Name, galeraState); is {
				return name
			}
			return ""
		}},
	} {
		items, err := d.api.Metadata(ctx, schema.GroupVersionResource{Version: "v1", Resource: of.resource}, namespace, "")
		if err != nil {
			return deleted, errors.Join(append(failures, fmt.Errorf("list the %s in %s: %w", of.resource, namespace, err))...)
		}
		for i := range items {
			item := &items[i]
			name := of.whose(item)
			if !slices.Contains(gone, name) || of.kind != kindClaim && kept[name] { // the databases are still in a volume then
				continue
			}
			ref := unit.ObjectRef{APIVersion: "v1", Kind: of.kind, Namespace: namespace, Name: item.Name}
			if err := d.cluster.Delete(ctx, ref, item.UID); err != nil {
				failures, kept[name] = append(failures, fmt.Errorf("delete %s: %w", ref, err)), true
				continue
			}
			deleted = append(deleted, ref)
		}
	}
	return deleted, errors.Join(failures...)
}
