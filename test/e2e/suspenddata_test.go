//go:build beds

package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// databaseClaim is the name of a claim of a database.
const databaseClaim = "mysql-data-mariadb-server-0"

// withoutDatabase has a cloud whose database left a claim, and no release. going tells whether the claim is being deleted,
// which does not end before the test does.
func withoutDatabase(t *testing.T) (w *world.World, going func() bool) {
	t.Helper()
	w = world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", `cloud "edge" {
  namespace = "edge"
}

manifest "note" {
  objects = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "note", namespace = "edge" } }
}
`)
	w.Push(t, "Describe the cloud")
	if r := w.Run(t, converges); r.Code != 0 {
		t.Fatalf("the pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	client := w.Cluster.Client()
	claims := client.CoreV1().PersistentVolumeClaims("edge")
	_, err := claims.Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: databaseClaim, Labels: map[string]string{"release_group": "mariadb"}, Finalizers: []string{"example.org/hold"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := claims.Patch(context.WithoutCancel(t.Context()), databaseClaim, "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			t.Error(err)
		}
	})
	going = func() bool {
		t.Helper()
		claim, err := claims.Get(t.Context(), databaseClaim, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return claim.DeletionTimestamp != nil
	}
	letDeleteData(t, w, "edge")
	return w, going
}

// letDeleteData gives the commands' account the right to delete claims in a namespace, which it has where somebody gave it.
func letDeleteData(t *testing.T, w *world.World, namespace string) {
	t.Helper()
	client := w.Cluster.Client().RbacV1()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"delete"}}}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "data"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "data"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "kupenstack", Namespace: world.System}},
	}
	if _, err := client.Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestSuspendedDataStays has one person suspend a cloud whose database is away, as to recover it from its volume, while
// another one takes the cloud away with the data of that database: the volume stays until the suspension is taken back.
func TestSuspendedDataStays(t *testing.T) {
	t.Parallel()
	w, going := withoutDatabase(t)
	if r := w.Run(t, time.Minute, "suspend", "--all", "--reason", "the database is recovered from its volume"); r.Code != 0 {
		t.Fatalf("suspend ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	r := w.Run(t, converges, "destroy", "--confirm", "edge", "--delete-data", "mariadb")
	const stays = "the data of mariadb stays: it is suspended"
	if r.Code != 4 || strings.Count(r.Stderr, stays) != 2 || going() { // below the list, and in place of the deletion
		t.Errorf("while it is suspended destroy ended with %d, the claim goes %v:\n%s\n%s", r.Code, going(), r.Stdout, r.Stderr)
	}
	if r := w.Run(t, time.Minute, "resume", "--all"); r.Code != 0 {
		t.Fatalf("resume ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	r = w.Run(t, converges, "destroy", "--confirm", "edge", "--delete-data", "mariadb")
	if r.Code != 0 || !going() {
		t.Errorf("destroy ended with %d, the claim goes %v:\n%s\n%s", r.Code, going(), r.Stdout, r.Stderr)
	}
}

// TestDataInUseStays takes a cloud away with the data of a database whose history in Helm was deleted by hand: as long as
// a pod of it works the volume stays.
func TestDataInUseStays(t *testing.T) {
	t.Parallel()
	w, going := withoutDatabase(t)
	pods := w.Cluster.Client().CoreV1().Pods("edge")
	_, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "mariadb-server-0", Labels: map[string]string{"release_group": "mariadb"}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "mariadb", Image: "registry.example.org/mariadb:1"}},
			Volumes:    []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: databaseClaim}}}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run(t, converges, "destroy", "--confirm", "edge", "--delete-data", "mariadb")
	const stays = "the data of mariadb stays: its release has no history, but Pod edge/mariadb-server-0 of it is still there; delete that first"
	if r.Code != 4 || !strings.Contains(r.Stderr, stays) || going() {
		t.Errorf("while a pod works destroy ended with %d, the claim goes %v:\n%s\n%s", r.Code, going(), r.Stdout, r.Stderr)
	}
	now := int64(0)
	if err := pods.Delete(t.Context(), "mariadb-server-0", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
	r = w.Run(t, converges, "destroy", "--confirm", "edge", "--delete-data", "mariadb")
	if r.Code != 0 || !going() {
		t.Errorf("destroy ended with %d, the claim goes %v:\n%s\n%s", r.Code, going(), r.Stdout, r.Stderr)
	}
}
