package helm

import (
	"context"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/release"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// releasesThere is an API server with revisions of releases in one namespace, of which all is known already.
type releasesThere struct {
	server
	names []string
}

func (r *releasesThere) Metadata(context.Context, schema.GroupVersionResource, string, string) ([]metav1.PartialObjectMetadata, error) {
	var found []metav1.PartialObjectMetadata
	for _, name := range r.names {
		found = append(found, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Namespace: "o", Name: name, ResourceVersion: "1", Labels: map[string]string{"name": name, "version": "1", "status": string(release.StatusDeployed)},
		}})
	}
	return found, nil
}

// TestWhoIsInTheWayOfAPool: a plan may let a pool go that other releases use, where all of these go as well.
func TestWhoIsInTheWayOfAPool(t *testing.T) {
	job := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(`apiVersion: batch/v1
kind: Job
metadata: {name: glance-storage-init, namespace: o}
spec: {template: {spec: {containers: [{name: x, command: [/tmp/storage-init.sh], env: [{name: RBD_POOL_NAME, value: pictures}, {name: RBD_POOL_APP_NAME, value: glance}]}]}}}
`), &job.Object); err != nil {
		t.Fatal(err)
	}
	uses := map[string]any{"conf": map[string]any{"rbd_store_pool": "pictures"}}
	d := &Driver{api: &releasesThere{names: []string{"cinder", "glance", "heat", "nova"}}, revisions: map[string]*revision{}}
	for name, config := range map[string]map[string]any{"cinder": uses, "glance": nil, "heat": nil, "nova": uses} {
		d.revisions["o/"+name] = &revision{stored: stored{secret: name, resourceVersion: "1", version: 1, status: release.StatusDeployed}, config: config}
	}
	mine := d.revisions["o/glance"]
	mine.objects = []*unstructured.Unstructured{job}
	v := &view{namespace: "o", name: "glance", newest: mine, target: unit.Target{CleanUp: []string{"messaging", "pools"}}}
	d.findStuck(t.Context(), v)
	pools, messaging := v.stuck["pools"], v.stuck["messaging"]
	if !strings.Contains(pools.Why, "the pool pictures is used by release o/cinder as well") || len(pools.By) != 2 {
		t.Fatalf("pools: %+v", pools)
	}
	for i, name := range []string{"cinder", "nova"} {
		if want := (&unit.Release{Namespace: "o", Name: name}).Locator(); pools.By[i].Driver != want.Driver || pools.By[i].Kind != want.Kind || pools.By[i].Namespace != want.Namespace || pools.By[i].Name != want.Name {
			t.Errorf("pools are used by %+v, want %+v", pools.By[i], want)
		}
	}
	if !strings.Contains(messaging.Why, "there is no Job glance-rabbit-init") || messaging.By != nil {
		t.Errorf("messaging: %+v", messaging)
	}
}
