package helm

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata/fake"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What somebody does to the record of a release wakes its unit: a deletion above all.
func TestRecordsOfReleasesAreWatched(t *testing.T) {
	record := func(name, release string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: name, Labels: map[string]string{"owner": "helm", "name": release, "version": "1"}},
		}
	}
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleMetadataClient(scheme, []runtime.Object{record("keystone.v1", "keystone"), record("theirs.v1", "theirs")}...)
	woken := make(chan addr.Object, 10)
	d := &Driver{
		options: Options{Notify: func(addresses ...addr.Object) { woken <- addresses[0] }}, cancel: func() {},
		index: map[unit.ObjectRef]addr.Object{}, indexed: map[addr.Object][]unit.ObjectRef{}, releases: map[string]addr.Object{},
	}
	d.storage = newStorage(client, d.recorded)
	defer d.Close()
	keystone := addr.MustParseObject("service.keystone")
	d.remember(keystone, "o/keystone", nil)
	d.storage.watch(t.Context(), "o")
	d.storage.watch(t.Context(), "o") // it is there already
	secrets := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace("o")
	for _, name := range []string{"theirs.v1", "keystone.v1"} {
		if err := secrets.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case address := <-woken:
		if address != keystone {
			t.Errorf("it woke %s", address)
		}
	case <-time.After(time.Minute):
		t.Fatal("it woke nobody")
	}
	d.Close()
	if len(woken) > 0 {
		t.Errorf("it also woke %s", <-woken)
	}
	d.remember(keystone, "", nil) // it is gone
	d.recorded("o", "keystone")
	if len(woken) > 0 {
		t.Error("who is gone was woken")
	}
}
