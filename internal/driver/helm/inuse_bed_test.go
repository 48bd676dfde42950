//go:build beds

package helm_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// TestDataInUseIsWaitedFor: the history of a release is gone, and what it consists of works on. Whoever deletes that is heard.
func TestDataInUseIsWaitedFor(t *testing.T) {
	b := newBed(t, appChart())
	b.settle()
	_, err := b.client.CoreV1().PersistentVolumeClaims(b.namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-app-0", Labels: map[string]string{"release_group": "app"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.client.CoreV1().Secrets(b.namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "owner=helm"}); err != nil {
		t.Fatal(err)
	}
	b.restart() // what this one has heard is nothing that it knew before
	b.target.TakesData = true
	goes := b.target
	goes.Spec, goes.Data = nil, b.goes()
	state, err := b.driver.Delete(t.Context(), goes, unit.State{})
	if works := "Deployment " + b.namespace + "/app of it is still there"; !unit.IsBlocked(err) || !strings.Contains(err.Error(), works) {
		t.Fatalf("%+v, %v", state, err)
	}
	select {
	case <-b.woken: // by what was before
	default:
	}
	if err := b.client.AppsV1().Deployments(b.namespace).Delete(t.Context(), "app", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await.Receive(t, b.woken, "the unit being told that the Deployment was deleted")
	for deadline := time.Now().Add(patience); state.Existence != unit.Absent; {
		if state, err = b.driver.Delete(t.Context(), goes, state); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not go: %+v", state)
		}
	}
}
