package world

import (
	"fmt"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// AwaitRest waits until all that a daemon still writes about a cloud that has converged is written: how its
// nodes and services stand, and how far it is, is shown beside the reports, at its leisure. Who wants to see that
// nothing is written begins after it.
func (w *World) AwaitRest(t testing.TB, limit time.Duration) {
	t.Helper()
	client, err := dynamic.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	Await(t, limit, func() (bool, string) {
		status, _ := w.ReadStatus(t)
		if status.Verdict != "converged" {
			return false, status.unsettled()
		}
		for _, plural := range shownKinds() {
			list, err := client.Resource(schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: plural}).List(t.Context(), metav1.ListOptions{})
			if apierrors.IsNotFound(err) {
				continue // the cloud has none, and so nobody has defined them
			}
			if err != nil {
				return false, err.Error()
			}
			for i := range list.Items {
				says, _, _ := unstructured.NestedMap(list.Items[i].Object, "status")
				if !resting(says, status.Applied.Hash) {
					return false, fmt.Sprintf("%s %s is shown as %v", list.Items[i].GetKind(), list.Items[i].GetName(), says)
				}
			}
		}
		return true, ""
	})
}

// resting tells whether nothing is to come after what is shown of something in a world where a commit has come
// about: the cloud names the commit, all else has a status, and all of it has conditions.
func resting(says map[string]any, commit string) bool {
	status, _ := says["status"].(string)
	rests := slices.Contains([]string{"Ready", "Disabled", "Unmanaged"}, status)
	conditions, _ := says["conditions"].([]any)
	switch {
	case says["phase"] != nil:
		rests = says["phase"] == "Ready" && says["observedRevision"] == commit
	case says["status"] == nil: // of a profile
		rests = slices.ContainsFunc(conditions, func(raw any) bool {
			c, _ := raw.(map[string]any)
			return c["type"] == "Ready" && c["status"] == "True"
		})
	}
	return rests && len(conditions) > 0
}
