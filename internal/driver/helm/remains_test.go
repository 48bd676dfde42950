package helm

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Of a release without a history its workloads tell, and the claims that its StatefulSets left.
func TestRemains(t *testing.T) {
	object := func(name string, annotations, labels map[string]string) metav1.PartialObjectMetadata {
		return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: name, Annotations: annotations, Labels: labels}}
	}
	of := func(namespace, name string) map[string]string {
		return map[string]string{annotationReleaseName: name, annotationReleaseNamespace: namespace}
	}
	api := &server{objects: map[string][]metav1.PartialObjectMetadata{
		"deployments": {
			object("keystone-api", of("o", "keystone"), nil),
			object("other", of("elsewhere", "glance"), map[string]string{labelInstance: "glance"}),
		},
		"statefulsets": {object("mariadb-server", of("o", "mariadb"), nil)},
		"persistentvolumeclaims": {
			object("data-mariadb-server-0", nil, map[string]string{labelReleaseGroup: "mariadb"}),
			object("data-rabbitmq-0", nil, map[string]string{labelReleaseGroup: "rabbitmq"}),
			object("data-ceph-0", nil, map[string]string{labelInstance: "ceph"}),
		},
	}}
	d := &Driver{api: api}
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
	if n := api.lists; n != len(lasting()) {
		t.Errorf("%d requests for one look", n)
	}

	api.refused = map[string]error{"persistentvolumeclaims": errors.New("forbidden")}
	d.listings.forget()
	if ref, found, err := d.Remains(t.Context(), "o", "none"); err == nil || found || !strings.Contains(err.Error(), "forbidden") || ref != (unit.ObjectRef{}) {
		t.Errorf("an error is taken for an answer: %s %t %v", ref, found, err)
	}
}
