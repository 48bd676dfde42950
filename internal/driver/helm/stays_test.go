package helm

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
)

// TestStays: what holds data of many does not go with a release, neither by our hand nor by Helm's.
func TestStays(t *testing.T) {
	for _, test := range []struct {
		kind schema.GroupVersionKind
		want bool
	}{
		{schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}, true},
		{schema.GroupVersionKind{Group: "ceph.rook.io", Version: "v1", Kind: "CephCluster"}, true},
		{schema.GroupVersionKind{Group: "ceph.rook.io", Version: "v1", Kind: "CephBlockPool"}, true},
		{schema.GroupVersionKind{Group: "objectbucket.io", Version: "v1alpha1", Kind: "ObjectBucketClaim"}, true},
		{schema.GroupVersionKind{Group: "ceph.rook.io", Version: "v1", Kind: "CephClient"}, false},
		{schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "CephCluster"}, false},
		{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, false},
	} {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(test.kind)
		info := &resource.Info{Mapping: &meta.RESTMapping{GroupVersionKind: test.kind}}
		if got, helms := stays(object), keeps(info); got != test.want || helms != test.want {
			t.Errorf("%s stays: %v, and for Helm: %v", test.kind, got, helms)
		}
	}
}
