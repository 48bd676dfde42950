//go:build beds

package helm_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keyNames are those of the Secrets of [keysChart].
var keyNames = []string{"app-credential-keys", "app-fernet-keys"}

// keysChart has its keys in Secrets that hooks make, as the chart of Keystone does.
func keysChart() fstest.MapFS {
	tree := appChart()
	for _, name := range keyNames {
		tree["charts/app/templates/"+name+".yaml"] = file(fmt.Sprintf(`apiVersion: v1
kind: Secret
metadata:
  name: %s
  annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-failed, helm.sh/resource-policy: keep}
type: Opaque
`, name))
	}
	return tree
}

// fill puts keys into the Secrets, as a Job of the chart does, and returns the UIDs of these.
func (b *bed) fill() map[string]types.UID {
	b.t.Helper()
	uids := map[string]types.UID{}
	for _, name := range keyNames {
		secret, err := b.client.CoreV1().Secrets(b.namespace).Patch(b.t.Context(), name, types.MergePatchType, []byte(`{"stringData":{"0":"a key"}}`), metav1.PatchOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		uids[name] = secret.UID
	}
	return uids
}

// keyed wants the very Secrets to be there, with the keys.
func (b *bed) keyed(when string, uids map[string]types.UID) {
	b.t.Helper()
	for _, name := range keyNames {
		secret, err := b.client.CoreV1().Secrets(b.namespace).Get(b.t.Context(), name, metav1.GetOptions{})
		if err != nil || secret.UID != uids[name] || secret.DeletionTimestamp != nil || string(secret.Data["0"]) != "a key" {
			b.t.Errorf("%s: %s is %v, %v", when, name, secret.ObjectMeta, err)
		}
	}
}

// unkeyed wants the Secrets to be gone.
func (b *bed) unkeyed(when string) {
	b.t.Helper()
	for _, name := range keyNames {
		if _, err := b.client.CoreV1().Secrets(b.namespace).Get(b.t.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			b.t.Errorf("%s: %s is there, %v", when, name, err)
		}
	}
}

// Keys survive an upgrade, a repair, the end of their release and its return, and the data of others: they go where they
// are named and by nothing else, the last of all.
func TestKeysGoOnlyWhenTheyAreNamed(t *testing.T) {
	b := newBed(t, keysChart())
	b.settle()
	uids := b.fill()
	b.change(func(spec *unit.Release) { spec.Values["greeting"] = "good evening" })
	b.settle()
	if got := b.revisions(); got != "1 superseded, 2 deployed" {
		t.Errorf("revisions %s", got)
	}
	b.keyed("after an upgrade", uids)
	if err := b.client.CoreV1().ConfigMaps(b.namespace).Delete(t.Context(), "app-config", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.until("repaired", func(state unit.State, diff unit.Diff) bool {
		_, err := b.client.CoreV1().ConfigMaps(b.namespace).Get(t.Context(), "app-config", metav1.GetOptions{})
		return err == nil && state.Ready() && diff.Action == unit.ActionNone
	})
	b.keyed("after a repair", uids)
	b.remove()
	b.keyed("after the release", uids)

	others, err := b.driver.Data(t.Context(), b.namespace, []string{"other"})
	if err != nil || len(others) > 0 {
		t.Errorf("of another release there are %v, %v", others, err)
	}
	if deleted, _, err := b.driver.DeleteData(t.Context(), b.namespace, others); err != nil || len(deleted) > 0 {
		t.Errorf("deleted %v, %v", deleted, err)
	}
	b.target.Fresh = true
	b.settle()
	b.keyed("after the release has come back", uids)

	// by the record of what goes with it
	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "theirs", Annotations: map[string]string{"helm.sh/resource-policy": "keep"}}}
	if _, err := b.client.CoreV1().Secrets(b.namespace).Create(t.Context(), theirs, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-app-0", Labels: map[string]string{"release_group": "app"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	if _, err := b.client.CoreV1().PersistentVolumeClaims(b.namespace).Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	offset, err := b.server.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	b.target.TakesData = true
	if b.target.Data = b.goes(); !slices.Equal(namesOf(b.target.Data), append([]string{"data-app-0"}, keyNames...)) {
		t.Fatalf("what goes is %+v", b.target.Data)
	}
	b.removing(unit.State.Gone)
	b.unkeyed("named in the configuration")
	var order []string
	for _, request := range b.requests(offset) {
		if name := request.Object.Name; request.Verb == "delete" && slices.Contains(append(keyNames, "data-app-0", "app"), name) && request.Object.Resource != "pods" && !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	if want := append([]string{"app", "data-app-0"}, keyNames...); !slices.Equal(order, want) {
		t.Errorf("they went as %q, want %q", order, want)
	}
	if _, err := b.client.CoreV1().Secrets(b.namespace).Get(t.Context(), "theirs", metav1.GetOptions{}); err != nil {
		t.Errorf("a Secret of somebody else's: %v", err)
	}
}

// Keys of a release that was uninstalled before go as well once they are named, in the configuration or by a person.
func TestKeysOfWhatWasUninstalledBefore(t *testing.T) {
	for _, typed := range []bool{false, true} {
		t.Run(fmt.Sprintf("typed %t", typed), func(t *testing.T) {
			b := newBed(t, keysChart())
			b.settle()
			uids := b.fill()
			b.remove()
			b.keyed("after the release", uids)
			if typed {
				claims, err := b.driver.Data(t.Context(), b.namespace, []string{"app"})
				if err != nil {
					t.Fatal(err)
				}
				deleted, _, err := b.driver.DeleteData(t.Context(), b.namespace, claims)
				if want := fmt.Sprintf("[Secret %[1]s/app-credential-keys Secret %[1]s/app-fernet-keys]", b.namespace); err != nil || fmt.Sprint(deleted) != want {
					t.Errorf("deleted %v, want %s, %v", deleted, want, err)
				}
			} else {
				b.target.TakesData = true
				if b.target.Data = b.goes(); !slices.Equal(namesOf(b.target.Data), keyNames) {
					t.Fatalf("what goes is %+v", b.target.Data)
				}
				b.removing(unit.State.Gone)
			}
			b.unkeyed("named")
		})
	}
}

// goes returns what the driver says goes with the release.
func (b *bed) goes() *unit.Data {
	b.t.Helper()
	target := b.target
	target.Spec = nil
	states, err := b.driver.Observe(b.t.Context(), []unit.Target{target})
	if err != nil {
		b.t.Fatal(err)
	}
	return states[target.Address].Data
}

// namesOf are the names of what goes with a release, in order.
func namesOf(data *unit.Data) []string {
	var names []string
	if data != nil {
		for _, claim := range data.Claims {
			names = append(names, claim.Ref.Name)
		}
	}
	return names
}
