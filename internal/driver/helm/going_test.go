package helm

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestGoing: of what is left of a release that goes, that is told which somebody holds, and by what.
func TestGoing(t *testing.T) {
	object := func(name string, deleted bool, finalizers ...string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetNamespace("openstack")
		o.SetName(name)
		o.SetFinalizers(finalizers)
		if now := metav1.Now(); deleted {
			o.SetDeletionTimestamp(&now)
		}
		return o
	}
	for name, c := range map[string]struct {
		live      []*unstructured.Unstructured
		ref, says string
	}{
		"the last one":         {[]*unstructured.Unstructured{object("a", true)}, "a", "it is going, as the last object"},
		"by Kubernetes itself": {[]*unstructured.Unstructured{object("b", true, "foregroundDeletion"), object("a", true)}, "a", "it is going, as one of 2 objects"},
		"held": {
			[]*unstructured.Unstructured{object("a", true), object("b", true, "foregroundDeletion", "example.org/hold")},
			"b",
			"it is going, as one of 2 objects, and stays until its finalizer example.org/hold is taken off",
		},
		"not deleted yet": {[]*unstructured.Unstructured{object("a", true), object("b", false, "example.org/hold")}, "a", "it is going, as one of 2 objects"},
	} {
		v := &view{live: map[unit.ObjectRef]*unstructured.Unstructured{}}
		var left []unit.ObjectRef
		for _, o := range c.live {
			v.live[refOf(o)] = o
			left = append(left, refOf(o))
		}
		if ref, says := v.going(left); ref.Name != c.ref || says != c.says {
			t.Errorf("%s: %s: %q, want %s: %q", name, ref, says, c.ref, c.says)
		}
	}
}
