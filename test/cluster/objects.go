package cluster

import (
	"context"
	"embed"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
)

//go:embed manifests
var manifests embed.FS

// createObjects creates what a cluster has from the beginning. It returns when kwok can
// watch Logs objects: it would retry only after a while.
func (s *starter) createObjects(ctx context.Context, cluster *Cluster) error {
	client, err := dynamic.NewForConfig(cluster.config)
	if err != nil {
		return err
	}
	for _, manifest := range []struct {
		path     string
		resource schema.GroupVersionResource
	}{
		{"manifests/logs-crd.yaml", schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}},
		{"manifests/storage-class.yaml", schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}},
	} {
		data, err := manifests.ReadFile(manifest.path)
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(data, &object.Object); err != nil {
			return fmt.Errorf("%s: %w", manifest.path, err)
		}
		if _, err := client.Resource(manifest.resource).Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("%s: %w", manifest.path, err)
		}
	}
	for i := 1; i <= s.options.Nodes; i++ {
		if _, err := cluster.Client().CoreV1().Nodes().Create(ctx, newNode(i), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return s.waitFor(ctx, "Logs objects are served", func(ctx context.Context) error {
		_, err := client.Resource(logsResource()).List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
}

func newNode(number int) *corev1.Node {
	name := fmt.Sprintf("node-%d", number)
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname:     name,
		corev1.LabelOSStable:     "linux",
		corev1.LabelArchStable:   "amd64",
		corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", number),
	}}}
}
