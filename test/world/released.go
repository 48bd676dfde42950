package world

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
)

// Released returns the objects of a namespace that are of Helm's releases, or of the history that Helm
// keeps of them, as "kind name".
func (w *World) Released(t testing.TB, namespace string) []string {
	t.Helper()
	lists, err := w.Cluster.Client().Discovery().ServerPreferredNamespacedResources()
	if err != nil {
		t.Fatal(err)
	}
	client, err := metadata.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") {
				continue
			}
			objects, err := client.Resource(version.WithResource(resource.Name)).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatalf("list %s: %v", resource.Name, err)
			}
			for i := range objects.Items {
				o := &objects.Items[i]
				if o.Annotations["meta.helm.sh/release-name"] != "" || o.Labels["app.kubernetes.io/managed-by"] == "Helm" || o.Labels["owner"] == "helm" {
					found = append(found, resource.Kind+" "+o.Name)
				}
			}
		}
	}
	slices.Sort(found)
	return found
}
