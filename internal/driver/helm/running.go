package helm

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// running returns who tells on which nodes pods of the release's DaemonSets work, or of one beside them, and on which
// they are to. The API server is asked only when that is called, once for all groups of a daemon, and not for what runs nowhere.
func (d *Driver) running(v *view) running {
	return func(ctx context.Context, program unit.Program) ([]string, error) {
		sets, err := d.daemonSets(ctx, v, program)
		if err != nil {
			return nil, err
		}
		expected, err := d.expected(ctx, v, []unit.Program{program})
		if err != nil {
			return nil, err
		}
		groups := map[string]map[types.UID]bool{} // by the selector of their pods
		for _, set := range sets {
			if desired, _, _ := unstructured.NestedInt64(set.Object, "status", "desiredNumberScheduled"); desired == 0 {
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
		nodes := slices.Concat(expected...)
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
