//go:build beds

package compose_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/composed"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

var osknodes = schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstacknodes"}

// nodesBed is a control plane with the demo's definitions and osknodes, applied in the plainest way.
// That all of the demo becomes ready in the order of its edges is for test/e2e to show.
type nodesBed struct {
	t      *testing.T
	ctx    context.Context
	client dynamic.Interface
	nodes  unit.Unit
}

func newNodesBed(t *testing.T) nodesBed {
	t.Helper()
	bed := testbed.PrivateCluster(t, cluster.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	client, err := dynamic.NewForConfig(bed.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	units := composed.Demo(t)
	b := nodesBed{t: t, ctx: ctx, client: client, nodes: units["system.nodes"]}
	b.objects(units["system.definitions"], schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	})
	b.objects(b.nodes, osknodes)
	return b
}

// objects applies the objects of a unit, once the API server knows their kind.
func (b nodesBed) objects(u unit.Unit, resource schema.GroupVersionResource) {
	b.t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for _, item := range u.Spec.(*unit.Objects).Items {
		object := &unstructured.Unstructured{Object: clone(item).(map[string]any)}
		for {
			_, err := b.client.Resource(resource).Apply(b.ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "test", Force: true})
			if err == nil {
				break
			}
			select {
			case <-b.ctx.Done():
				b.t.Fatalf("%s: %v", u.Address, err)
			case <-tick.C:
			}
		}
	}
}

// patch changes an osknode as somebody else would.
func (b nodesBed) patch(name string, fields map[string]any, subresources ...string) *unstructured.Unstructured {
	b.t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		b.t.Fatal(err)
	}
	stored, err := b.client.Resource(osknodes).Patch(b.ctx, name, types.MergePatchType, text, metav1.PatchOptions{FieldManager: "somebody"}, subresources...)
	if err != nil {
		b.t.Fatal(err)
	}
	return stored
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		copied := map[string]any{}
		for key, inner := range v {
			copied[key] = clone(inner)
		}
		return copied
	case []any:
		copied := []any{}
		for _, inner := range v {
			copied = append(copied, clone(inner))
		}
		return copied
	default:
		return v
	}
}
