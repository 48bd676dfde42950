package kube

import (
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kupenstack/kupenstack-sync/test/await"
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
	// A server tells a watch of what was changed since the list that came before it. This client does not.
	opened := make(chan struct{}, 10)
	client.PrependWatchReactor("*", func(action clienttesting.Action) (bool, apiwatch.Interface, error) {
		events, err := client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		opened <- struct{}{}
		return true, events, err
	})
	told := make(chan string, 10)
	w := newMetadataWatch(client, of, "owner=helm", func(object *metav1.PartialObjectMetadata) { told <- object.Name })
	defer w.Close()
	w.Begin(t.Context(), "o")
	w.Begin(t.Context(), "o") // it is there already
	await.Receive(t, opened, "the watch")
	for _, name := range []string{"nova.v1", "keystone.v1"} {
		if err := client.Resource(of).Namespace("o").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"nova.v1", "keystone.v1"} {
		if name := await.Receive(t, told, "word of "+want); name != want {
			t.Errorf("it told of %s, want %s", name, want)
		}
	}
	w.Close()
	if len(told) > 0 {
		t.Errorf("it also told of %s", <-told)
	}
	w.Begin(t.Context(), "p") // after its end: returns at once
}

// TestSilentWatchesOfMetadataEnd: where heartbeats came through a stream and come no more, another one is asked for, and that
// one tells of what happens.
func TestSilentWatchesOfMetadataEnd(t *testing.T) {
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewSimpleMetadataClient(scheme)
		of := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
		streams := make(chan *apiwatch.FakeWatcher, 10)
		client.PrependWatchReactor("*", func(clienttesting.Action) (bool, apiwatch.Interface, error) {
			stream := apiwatch.NewFakeWithOptions(apiwatch.FakeOptions{ChannelSize: 10})
			streams <- stream
			return true, stream, nil
		})
		told := make(chan string, 10)
		w := newMetadataWatch(client, of, "", func(object *metav1.PartialObjectMetadata) { told <- object.Name })
		defer w.Close()
		w.Begin(t.Context(), "o")
		synctest.Wait()
		first := <-streams
		time.Sleep(time.Minute) // and no longer: streams are asked for at least five minutes
		first.Action(apiwatch.Bookmark, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}})
		time.Sleep(silence - time.Second)
		if first.IsStopped() || len(streams) > 0 {
			t.Fatal("it ended before its time")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !first.IsStopped() {
			t.Fatal("the silent stream goes on")
		}
		second := <-streams
		second.Add(&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: "nova.v1", ResourceVersion: "2"}})
		synctest.Wait()
		if name := <-told; name != "nova.v1" {
			t.Errorf("it told of %s", name)
		}
	})
}
