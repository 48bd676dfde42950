package world

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// Deployer gives charts an account of their own for a namespace, which it makes, as the chart in deploy/ does; takes from the
// commands' own account what that leaves to it; and has the commands write what charts bring as that account. It
// returns what rights the two have.
func (w *World) Deployer(t testing.TB, namespace string) map[string][]Right {
	t.Helper()
	client, err := dynamic.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Cluster.Client().CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	objects := confined(t, namespace)
	for _, object := range objects {
		of := object.GroupVersionKind()
		plural, ok := map[string]string{
			"ServiceAccount": "serviceaccounts", "Role": "roles", "RoleBinding": "rolebindings", "ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings",
		}[of.Kind]
		if !ok {
			continue
		}
		resource := client.Resource(schema.GroupVersionResource{Group: of.Group, Version: of.Version, Resource: plural})
		var kind dynamic.ResourceInterface = resource
		if in := object.GetNamespace(); in != "" {
			kind = resource.Namespace(in)
		}
		if _, err := kind.Apply(t.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "world", Force: true}); err != nil {
			t.Fatalf("%s %s: %v", of.Kind, object.GetName(), err)
		}
	}
	// The authorizer sees each role and binding by itself.
	for _, c := range []struct {
		account string
		what    authorizationv1.ResourceAttributes
		want    bool
	}{
		{Charts, authorizationv1.ResourceAttributes{Verb: "create", Group: "apps", Resource: "deployments", Namespace: namespace}, true},
		{Charts, authorizationv1.ResourceAttributes{Verb: "create", Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}, true},
		{Daemon, authorizationv1.ResourceAttributes{Verb: "create", Group: "apps", Resource: "deployments", Namespace: namespace}, false},
		{Daemon, authorizationv1.ResourceAttributes{Verb: "create", Group: "apps", Resource: "daemonsets", Namespace: namespace}, true},
		{Daemon, authorizationv1.ResourceAttributes{Verb: "impersonate", Resource: "serviceaccounts", Namespace: System, Name: account + "-deployer"}, true},
	} {
		Await(t, time.Minute, func() (bool, string) {
			answer, err := w.Cluster.Client().AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: c.account, ResourceAttributes: &c.what},
			}, metav1.CreateOptions{})
			if err != nil {
				return false, err.Error()
			}
			return answer.Status.Allowed == c.want, "the roles are not in force"
		})
	}
	w.env = append(w.env, "KUPENSTACK_CHART_ACCOUNT="+System+"/"+account+"-deployer")
	return rightsOf(t, objects)
}

// Rights are those that [World.Deployer] gives the two accounts, by account.
func Rights(t testing.TB, namespace string) map[string][]Right {
	t.Helper()
	return rightsOf(t, confined(t, namespace))
}

func rightsOf(t testing.TB, objects []*unstructured.Unstructured) map[string][]Right {
	t.Helper()
	return map[string][]Right{Daemon: granted(t, objects, Daemon), Charts: granted(t, objects, Charts)}
}

// confined is what the chart in deploy/ makes where charts have an account of their own for a namespace.
func confined(t testing.TB, namespace string) []*unstructured.Unstructured {
	t.Helper()
	return rendered(t, map[string]any{"deployer": map[string]any{"namespaces": []any{namespace}}})
}

// rendered is what the chart in deploy/ makes of values.
func rendered(t testing.TB, values map[string]any) []*unstructured.Unstructured {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	chart, err := loader.Load(filepath.Join(filepath.Dir(file), "..", "..", "deploy", "chart"))
	if err != nil {
		t.Fatal(err)
	}
	values["repo"] = map[string]any{"url": "https://git.example.org/cloud.git"}
	top, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: account, Namespace: System, Revision: 1, IsInstall: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(chart, top)
	if err != nil {
		t.Fatal(err)
	}
	for name := range files { // helpers print nothing
		if filepath.Ext(name) != ".yaml" {
			delete(files, name)
		}
	}
	_, parts, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	for _, part := range parts {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(part.Content), &object.Object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}
