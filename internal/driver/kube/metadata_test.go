package kube

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata/fake"
)

// What somebody does to an object is told, and what is there at the beginning is not.
func TestMetadataIsWatched(t *testing.T) {
	record := func(name, owner string) runtime.Object {
		return &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: name, Labels: map[string]string{"owner": owner}},
		}
	}
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleMetadataClient(scheme, record("keystone.v1", "helm"), record("nova.v1", "helm"))
	of := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	told := make(chan string, 10)
	w := newMetadataWatch(client, of, "owner=helm", func(object *metav1.PartialObjectMetadata) { told <- object.Name })
	defer w.Close()
	w.Begin(t.Context(), "o")
	w.Begin(t.Context(), "o") // it is there already
	for _, name := range []string{"nova.v1", "keystone.v1"} {
		if err := client.Resource(of).Namespace("o").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"nova.v1", "keystone.v1"} {
		select {
		case name := <-told:
			if name != want {
				t.Errorf("it told of %s, want %s", name, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("it did not tell of %s", want)
		}
	}
	w.Close()
	if len(told) > 0 {
		t.Errorf("it also told of %s", <-told)
	}
	w.Begin(t.Context(), "p") // after its end: returns at once
}
