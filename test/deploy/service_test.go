package deploy_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Metrics are told by each replica, ready or not. A push reaches the only one there is while it is not ready, for that may be
// what the push mends; of several it reaches one that is ready, which can hand it on.
func TestWhoIsReachedWhileNotReady(t *testing.T) {
	for _, test := range []struct {
		name     string
		replicas int
		webhook  bool
	}{{"one", 1, true}, {"several", 2, false}} {
		t.Run(test.name, func(t *testing.T) {
			published := map[string]bool{}
			for _, object := range objects(t, "lab", values{"repo": values{"url": exampleURL}, "webhook": values{"secret": "hook"}, "replicas": test.replicas}) {
				if object.GetKind() == "Service" {
					published[object.GetName()], _, _ = unstructured.NestedBool(object.Object, "spec", "publishNotReadyAddresses")
				}
			}
			if len(published) != 2 || !published["kupenstackd"] || published["kupenstackd-webhook"] != test.webhook {
				t.Errorf("got %v", published)
			}
		})
	}
}
