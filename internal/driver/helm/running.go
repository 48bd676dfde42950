package helm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// running returns who tells on which nodes pods of the release's DaemonSets work, or of one beside them. The API server is
// asked only when that is called, once for all groups of a daemon, and not for what runs nowhere.
func (d *Driver) running(v *view) running {
	var own []*unstructured.Unstructured
	for ref, live := range v.live {
		if ref.Kind == kindDaemonSet {
			own = append(own, live)
		}
	}
	return func(ctx context.Context, program unit.Program) ([]string, error) {
		sets := own
		if program.Beside {
			ref := unit.ObjectRef{APIVersion: "apps/v1", Kind: kindDaemonSet, Namespace: v.namespace, Name: program.DaemonSet}
			found, err := d.cluster.Get(ctx, ref)
			if err != nil {
				return nil, fmt.Errorf("look at %s: %w", ref, err)
			}
			sets = slices.Collect(maps.Values(found))
		}
		groups := map[string]map[types.UID]bool{} // by the selector of their pods
		for _, set := range sets {
			if desired, _, _ := unstructured.NestedInt64(set.Object, "status", "desiredNumberScheduled"); desired == 0 ||
				set.GetName() != program.DaemonSet && !strings.HasPrefix(set.GetName(), program.DaemonSet+"-") {
				continue
			}
			selector, err := podSelector(set)
			if err != nil {
				return nil, fmt.Errorf("read which pods %s has: %w", refOf(set), err)
			}
			if groups[selector] == nil {
				groups[selector] = map[types.UID]bool{}
			}
			groups[selector][set.GetUID()] = true
		}
		var nodes []string
		for selector, owners := range groups {
			pods, err := d.api.Pods(ctx, v.namespace, selector)
			if err != nil {
				return nil, fmt.Errorf("look at the pods of %s: %w", program.DaemonSet, err)
			}
			for i := range pods {
				if owner := metav1.GetControllerOf(&pods[i]); owner != nil && owners[owner.UID] && isReady(&pods[i]) {
					nodes = append(nodes, pods[i].Spec.NodeName)
				}
			}
		}
		slices.Sort(nodes)
		return slices.Compact(nodes), nil
	}
}
