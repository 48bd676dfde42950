package helm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// daemonSets returns those that run a program, or are to.
func (d *Driver) daemonSets(ctx context.Context, v *view, program unit.Program) ([]*unstructured.Unstructured, error) {
	var sets []*unstructured.Unstructured
	if program.Beside {
		ref := unit.ObjectRef{APIVersion: "apps/v1", Kind: kindDaemonSet, Namespace: v.namespace, Name: program.DaemonSet}
		found, err := d.cluster.Get(ctx, ref)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", ref, err)
		}
		for _, set := range found {
			sets = append(sets, set)
		}
		return sets, nil
	}
	for ref, live := range v.live {
		if ref.Kind == kindDaemonSet && (ref.Name == program.DaemonSet || strings.HasPrefix(ref.Name, program.DaemonSet+"-")) {
			sets = append(sets, live)
		}
	}
	return sets, nil
}

// expected returns the nodes of each program for which Kubernetes makes pods of its DaemonSets: it tells of that in their
// status only once it has got to it, and until then what is there looks as if nothing were missing. A node that it does not
// have, or that the pods are kept from, is none of them. It answers from watches.
func (d *Driver) expected(ctx context.Context, v *view, programs []unit.Program) ([][]string, error) {
	var refs []unit.ObjectRef
	for _, program := range programs {
		for _, host := range program.Hosts {
			refs = append(refs, nodeRef(host))
		}
	}
	if len(refs) == 0 {
		return nil, nil
	}
	slices.SortFunc(refs, unit.ObjectRef.Compare)
	nodes, err := d.cluster.Get(ctx, slices.Compact(refs)...)
	if err != nil {
		return nil, fmt.Errorf("look at the nodes of release %s/%s: %w", v.namespace, v.name, err)
	}
	expected := make([][]string, len(programs))
	for i, program := range programs {
		sets, err := d.daemonSets(ctx, v, program)
		if err != nil {
			return nil, err
		}
		var places []placement
		for _, set := range sets {
			where, err := placementOf(set)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", refOf(set), err)
			}
			if set.GetDeletionTimestamp() == nil {
				places = append(places, where)
			}
		}
		for _, host := range program.Hosts {
			if node := nodes[nodeRef(host)]; node != nil && slices.ContainsFunc(places, func(p placement) bool { return p.takes(node) }) {
				expected[i] = append(expected[i], host)
			}
		}
	}
	return expected, nil
}

func nodeRef(name string) unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "v1", Kind: "Node", Name: name}
}
