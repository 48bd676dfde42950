package helm

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Of a release without a history its workloads tell, and the claims that its StatefulSets left.
func TestRemains(t *testing.T) {
	object := func(version, kind, name string, annotations, labels map[string]string) runtime.Object {
		return &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: version, Kind: kind},
			ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: name, Annotations: annotations, Labels: labels},
		}
	}
	of := func(namespace, name string) map[string]string {
		return map[string]string{annotationReleaseName: name, annotationReleaseNamespace: namespace}
	}
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleMetadataClient(scheme,
		object("apps/v1", "Deployment", "keystone-api", of("o", "keystone"), nil),
		object("apps/v1", "StatefulSet", "mariadb-server", of("o", "mariadb"), nil),
		object("v1", kindClaim, "data-mariadb-server-0", nil, map[string]string{labelReleaseGroup: "mariadb"}),
		object("v1", kindClaim, "data-rabbitmq-0", nil, map[string]string{labelReleaseGroup: "rabbitmq"}),
		object("v1", kindClaim, "data-ceph-0", nil, map[string]string{labelInstance: "ceph"}),
		object("apps/v1", "Deployment", "other", of("elsewhere", "glance"), map[string]string{labelInstance: "glance"}),
	)
	d := &Driver{metadata: client}
	for name, want := range map[string]string{
		"keystone": "Deployment o/keystone-api", "mariadb": "StatefulSet o/mariadb-server",
		"rabbitmq": kindClaim + " o/data-rabbitmq-0", "ceph": kindClaim + " o/data-ceph-0",
		"glance": "", "": "",
	} {
		ref, found, err := d.Remains(t.Context(), "o", name)
		if err != nil {
			t.Fatal(err)
		}
		if found != (want != "") || found && ref.String() != want {
			t.Errorf("%q: %s %t, want %q", name, ref, found, want)
		}
	}
	if n := len(client.Actions()); n != len(lasting()) {
		t.Errorf("%d requests for one look", n)
	}

	client.PrependReactor("list", "persistentvolumeclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("forbidden")
	})
	d.listings.forget()
	if ref, found, err := d.Remains(t.Context(), "o", "none"); err == nil || found || !strings.Contains(err.Error(), "forbidden") || ref != (unit.ObjectRef{}) {
		t.Errorf("an error is taken for an answer: %s %t %v", ref, found, err)
	}
}
