//go:build beds

package e2e_test

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// shown are the read-only resources of a kind, by its plural, that say how things are to be and how they stand.
func (s *story) shown(t *testing.T, plural string) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(s.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: plural})
}

func (s *story) editShownNode(t *testing.T) repaired {
	nodes := s.shown(t, "openstacknodes")
	was, err := nodes.Get(t.Context(), "node-2", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	roles, _, _ := unstructured.NestedStringSlice(was.Object, "spec", "roles")
	if len(roles) == 0 {
		t.Fatalf("no roles are shown: %v", was.Object["spec"])
	}
	patch := []byte(`{"spec":{"roles":["control-plane","network"]}}`)
	if _, err := nodes.Patch(t.Context(), was.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := nodes.Get(s.all.Context(), was.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err.Error()
		}
		shown, _, _ := unstructured.NestedStringSlice(now.Object, "spec", "roles")
		return slices.Equal(shown, roles), fmt.Sprint(shown)
	}
}

func (s *story) editShownService(t *testing.T) repaired {
	services := s.shown(t, "openstackservices")
	patch := []byte(`{"spec":{"enabled":false}}`)
	if _, err := services.Patch(t.Context(), "nova", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() (bool, string) {
		now, err := services.Get(s.all.Context(), "nova", metav1.GetOptions{})
		if err != nil {
			return false, err.Error()
		}
		enabled, _, _ := unstructured.NestedBool(now.Object, "spec", "enabled")
		return enabled, fmt.Sprint(now.Object["spec"])
	}
}

// deletes returns what deletes one of a kind: that of a name, or the first one. It comes back, and what else
// there is stays as it is; see the revisions of releases, and the units that nothing was put back in.
func (s *story) deletes(plural, name string) func(t *testing.T) repaired {
	return func(t *testing.T) repaired {
		all := s.shown(t, plural)
		list, err := all.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(list.Items, func(o unstructured.Unstructured) bool { return name == "" || o.GetName() == name })
		if at < 0 {
			t.Fatalf("there are no %s %s", plural, name)
		}
		was := &list.Items[at]
		if err := all.Delete(t.Context(), was.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		return func() (bool, string) {
			now, err := all.Get(s.all.Context(), was.GetName(), metav1.GetOptions{})
			return err == nil && now.GetUID() != was.GetUID(), fmt.Sprint(err)
		}
	}
}
