package world

import (
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/action"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/charts/install"
)

// Uninstall takes a release away behind the product's back, with the jobs of its hooks, and returns
// when its objects are gone.
func (w *World) Uninstall(t testing.TB, namespace, release string) {
	t.Helper()
	configuration, err := install.Configuration(w.Cluster.Kubeconfig, namespace)
	if err != nil {
		t.Fatal(err)
	}
	uninstall := action.NewUninstall(configuration)
	uninstall.DisableHooks, uninstall.Wait, uninstall.Timeout = true, true, 2*time.Minute
	if _, err := uninstall.Run(release); err != nil {
		t.Fatalf("uninstall %s: %v", release, err)
	}
	policy := metav1.DeletePropagationBackground
	err = w.Cluster.Client().BatchV1().Jobs(namespace).DeleteCollection(t.Context(),
		metav1.DeleteOptions{PropagationPolicy: &policy}, metav1.ListOptions{LabelSelector: "application=" + release})
	if err != nil {
		t.Fatalf("delete the jobs of %s: %v", release, err)
	}
}
