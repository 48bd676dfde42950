package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// AwaitRest waits until all that a daemon still writes about a cloud that has converged is written: how its
// nodes stand is shown beside the reports, at its leisure. Who wants to see that nothing is written begins
// after it.
func (w *World) AwaitRest(t testing.TB, limit time.Duration) {
	t.Helper()
	client, err := dynamic.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	nodes := client.Resource(schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstacknodes"})
	Await(t, limit, func() (bool, string) {
		status, _ := w.ReadStatus(t)
		if status.Verdict != "converged" {
			return false, status.unsettled()
		}
		list, err := nodes.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return false, err.Error()
		}
		shown := map[string]string{}
		for i := range list.Items {
			shown[list.Items[i].GetName()], _, _ = unstructured.NestedString(list.Items[i].Object, "status", "status")
		}
		for _, u := range status.Units {
			name, is := strings.CutPrefix(u.Address, "node.")
			if is && !slices.Contains([]string{"Ready", "Disabled"}, shown[name]) {
				return false, fmt.Sprintf("node %s is shown as %q", name, shown[name])
			}
		}
		return true, ""
	})
}
