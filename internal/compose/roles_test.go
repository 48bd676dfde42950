//go:build beds

package compose_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNodesOnACluster: what an osknode says of its node is kept by the API server as it is, and what
// somebody edits is put back.
func TestNodesOnACluster(t *testing.T) {
	b := newNodesBed(t)
	for _, item := range b.nodes.Spec.(*unit.Objects).Items {
		stored := b.patch(unit.RefOf(item).Name, map[string]any{"status": item["status"]}, "status")
		if got, want := compact(stored.Object["status"]), compact(item["status"]); got != want {
			t.Errorf("the status of %s is kept as %s, want %s", unit.RefOf(item).Name, got, want)
		}
	}

	// The list of roles belongs as a whole to whoever applies it. Were it a set, a role that
	// somebody added would stay theirs for ever.
	item := b.nodes.Spec.(*unit.Objects).Items[0]
	name := unit.RefOf(item).Name
	want, _, _ := unstructured.NestedStringSlice(item, "spec", "roles")
	if len(want) == 0 {
		t.Fatalf("%s has no roles", name)
	}
	b.patch(name, map[string]any{"spec": map[string]any{"roles": slices.Concat([]string{"added"}, want[1:])}})
	b.objects(b.nodes, osknodes)
	stored, err := b.client.Resource(osknodes).Get(b.ctx, name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedStringSlice(stored.Object, "spec", "roles"); !slices.Equal(got, want) {
		t.Errorf("roles %q, want %q", got, want)
	}
}
