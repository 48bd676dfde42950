package kube

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Namespaces returns the names of the namespaces that have all of these labels, sorted, without those of Kubernetes and
// our own, and without what is being deleted.
func (c *Cluster) Namespaces(ctx context.Context, selector map[string]string) ([]string, error) {
	namespaces, err := c.all(ctx, watchKey{apiVersion: "v1", kind: "Namespace"})
	if err != nil {
		return nil, err
	}
	chosen, names := labels.SelectorFromSet(selector), []string{}
	for _, namespace := range namespaces {
		name := namespace.GetName()
		system := name == c.namespace || name == metav1.NamespaceDefault || strings.HasPrefix(name, "kube-")
		if !system && namespace.GetDeletionTimestamp() == nil && chosen.Matches(labels.Set(namespace.GetLabels())) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
