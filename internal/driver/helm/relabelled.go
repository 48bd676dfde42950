package helm

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// componentLabel names what pods are in the charts of OpenStack-Helm.
const componentLabel = "component"

// readers are the pods of the release that read labels when they start, nil for none.
func (v *view) readers() *unit.LabelReaders {
	spec, _ := v.target.Spec.(*unit.Release)
	if spec == nil {
		return nil
	}
	return spec.LabelReaders
}

// labelledRefs are the nodes whose labels pods of the release read.
func (v *view) labelledRefs() []unit.ObjectRef {
	readers := v.readers()
	if readers == nil {
		return nil
	}
	refs := make([]unit.ObjectRef, 0, len(readers.Nodes))
	for _, name := range readers.Nodes {
		refs = append(refs, nodeRef(name))
	}
	return refs
}

// readsLabels tells whether the pods of a DaemonSet read labels of their node when they start.
func (v *view) readsLabels(set *unstructured.Unstructured) bool {
	readers := v.readers()
	component, _, _ := unstructured.NestedString(set.Object, "spec", "template", "metadata", "labels", componentLabel)
	return readers != nil && component == readers.Component
}

// relabelled tells of nodes when labels changed that pods of the release had read.
func (d *Driver) relabelled(ctx context.Context, v *view) (map[string]time.Time, error) {
	refs := v.labelledRefs()
	if len(refs) == 0 {
		return nil, nil
	}
	nodes, err := d.cluster.Get(ctx, refs...)
	if err != nil {
		return nil, fmt.Errorf("look at the labels of nodes for release %s/%s: %w", v.namespace, v.name, err)
	}
	changed := map[string]time.Time{}
	for ref, node := range nodes {
		if at, err := time.Parse(time.RFC3339, node.GetAnnotations()[unit.RelabelledAnnotation]); err == nil {
			changed[ref.Name] = at
		}
	}
	return changed, nil
}
