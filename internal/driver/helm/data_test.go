package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// guarded is a cluster that lets everything be deleted but some objects.
type guarded struct {
	Cluster
	kept map[string]bool
}

func (g *guarded) Delete(_ context.Context, ref unit.ObjectRef, _ types.UID) error {
	if g.kept[ref.Name] {
		return errors.New("forbidden")
	}
	return nil
}

func (g *guarded) Confirm(context.Context, unit.ObjectRef) (*unstructured.Unstructured, error) {
	return nil, nil
}

// What says that the databases were made stays as long as a volume may have them, and keys as long as anything does.
func TestStateStaysWithItsData(t *testing.T) {
	object := func(name string, labels map[string]string) metav1.PartialObjectMetadata {
		return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: name, Labels: labels}}
	}
	key := func(name, release, policy string) metav1.PartialObjectMetadata {
		o := object(name, map[string]string{labelManagedBy: managedByHelm})
		o.Annotations = map[string]string{annotationPolicy: policy, annotationRelease: release}
		return o
	}
	api := &server{objects: map[string][]metav1.PartialObjectMetadata{
		"persistentvolumeclaims": {
			object("data-one-0", map[string]string{labelReleaseGroup: "one"}),
			object("data-one-1", map[string]string{labelReleaseGroup: "one"}),
			object("data-two-0", map[string]string{labelReleaseGroup: "two"}),
		},
		"configmaps": {object("one-mariadb-state", nil), object("two-mariadb-state", nil)},
		"secrets":    {key("keys", "two", policyKeep), key("hook", "two", ""), key("of-three", "three", policyKeep), key("unmarked", "", policyKeep)},
	}}
	cluster := &guarded{kept: map[string]bool{"data-one-0": true}}
	d := &Driver{api: api, cluster: cluster}
	remove := func(want string) error {
		t.Helper()
		claims, err := d.Data(t.Context(), "o", []string{"one", "two"})
		if err != nil {
			t.Fatal(err)
		}
		deleted, stay, err := d.DeleteData(t.Context(), "o", claims)
		if got := fmt.Sprint(deleted); got != want || len(stay) > 0 {
			t.Errorf("deleted %s, want %s; %q", got, want, stay)
		}
		return err
	}
	const claims = "PersistentVolumeClaim o/data-one-1 PersistentVolumeClaim o/data-two-0"
	if err := remove("[" + claims + " ConfigMap o/two-mariadb-state]"); err == nil || !strings.Contains(err.Error(), "delete PersistentVolumeClaim o/data-one-0: forbidden") {
		t.Errorf("with a claim that stays: %v", err)
	}
	cluster.kept = nil
	if err := remove("[PersistentVolumeClaim o/data-one-0 " + claims + " ConfigMap o/one-mariadb-state ConfigMap o/two-mariadb-state Secret o/keys]"); err != nil {
		t.Errorf("once all can go: %v", err)
	}
}
