package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// holder is a cluster with some objects, by their names. What is deleted goes at once unless somebody uses it.
type holder struct {
	Cluster
	uids    map[string]types.UID
	used    map[string]bool
	going   map[string]bool
	fails   error
	deleted []string
	looked  []unit.ObjectRef // in watches
}

func (h *holder) Get(_ context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]*unstructured.Unstructured, error) {
	h.looked = append(h.looked, refs...)
	return nil, nil
}

func (h *holder) Confirm(_ context.Context, ref unit.ObjectRef) (*unstructured.Unstructured, error) {
	uid, there := h.uids[ref.Name]
	if !there {
		return nil, nil
	}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetUID(uid)
	if h.going[ref.Name] {
		object.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	}
	return object, nil
}

func (h *holder) Delete(_ context.Context, ref unit.ObjectRef, uid types.UID) error {
	if h.fails != nil {
		return h.fails
	}
	h.deleted = append(h.deleted, ref.Name+" "+string(uid))
	if h.going[ref.Name] = true; !h.used[ref.Name] {
		delete(h.uids, ref.Name)
	}
	return nil
}

func claims(names ...string) *unit.Data {
	data := &unit.Data{}
	for _, name := range names {
		kind := kindClaim
		if strings.HasSuffix(name, galeraState) {
			kind = "ConfigMap"
		} else if name == "keys" {
			kind = kindSecret
		}
		data.Claims = append(data.Claims, unit.Claim{Ref: unit.ObjectRef{APIVersion: "v1", Kind: kind, Namespace: "o", Name: name}, UID: "uid of " + name})
	}
	return data
}

// What is on record goes by its UID, the note about the databases after the volumes that have them, and keys last.
func TestDataOnRecordGoes(t *testing.T) {
	h := &holder{
		uids:  map[string]types.UID{"a": "uid of a", "b": "uid of another", "c": "uid of c", "d": "uid of d", "x" + galeraState: types.UID("uid of x" + galeraState), "keys": "uid of keys"},
		going: map[string]bool{}, used: map[string]bool{"c": true, "x" + galeraState: true},
	}
	d := &Driver{cluster: h, api: &server{}}
	step := func(data *unit.Data, gone bool, deleted string) {
		t.Helper()
		h.deleted = nil
		got, _, err := d.takeData(t.Context(), unit.Target{Data: data})
		if err != nil || got != gone || fmt.Sprint(h.deleted) != deleted {
			t.Errorf("gone %t, deleted %q, %v; want %t, %q", got, h.deleted, err, gone, deleted)
		}
	}
	recorded := claims("a", "b", "c", "never", "x"+galeraState, "keys")
	step(nil, true, "[]")
	step(claims(), true, "[]")
	step(recorded, false, "[a uid of a c uid of c]")
	step(recorded, false, "[]") // a pod uses what is left
	delete(h.uids, "c")
	step(recorded, false, "[x-mariadb-state uid of x-mariadb-state]")
	delete(h.uids, "x"+galeraState)
	step(recorded, false, "[keys uid of keys]")
	step(recorded, true, "[]")
	if fmt.Sprint(h.uids) != "map[b:uid of another d:uid of d]" {
		t.Errorf("left are %v", h.uids)
	}
}

// Whoever may not delete claims is told what to do, and nothing counts as gone.
func TestDataThatMayNotBeDeleted(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{apierrors.NewForbidden(schema.GroupResource{Resource: "persistentvolumeclaims"}, "a", errors.New("no")), "rbac.deleteData of its chart"},
		{errors.New("no answer"), "delete PersistentVolumeClaim o/a: no answer"},
	} {
		d := &Driver{api: &server{}, cluster: &holder{uids: map[string]types.UID{"a": "uid of a"}, going: map[string]bool{}, fails: test.err}}
		if gone, _, err := d.takeData(t.Context(), unit.Target{Data: claims("a")}); gone || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("gone %t, %v", gone, err)
		}
	}
}
