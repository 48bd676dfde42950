package helm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// running returns who tells on which nodes pods of the release's DaemonSets work. The API server is asked only when that
// is called, once for all groups of a daemon, and not for what runs nowhere.
func (d *Driver) running(v *view) running {
	var sets []*unstructured.Unstructured
	for ref, live := range v.live {
		if desired, _, _ := unstructured.NestedInt64(live.Object, "status", "desiredNumberScheduled"); ref.Kind == kindDaemonSet && desired > 0 {
			sets = append(sets, live)
		}
	}
	return func(ctx context.Context, name string) ([]string, error) {
		groups := map[string]map[types.UID]bool{} // by the selector of their pods
		for _, set := range sets {
			if set.GetName() != name && !strings.HasPrefix(set.GetName(), name+"-") {
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
				return nil, fmt.Errorf("look at the pods of %s: %w", name, err)
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
