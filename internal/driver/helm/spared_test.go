package helm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// TestWhatCannotBeReadHoldsNoUpgradeUp: an object that an upgrade has no more may not be readable, as where the program that converts
// it is broken, and the upgrade may be what mends that. It is left alone then, and an uninstall says so.
func TestWhatCannotBeReadHoldsNoUpgradeUp(t *testing.T) {
	var deleted []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		w.Header().Set("Content-Type", "application/json")
		switch {
		case name == "broken":
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "conversion webhook failed", "code": 500}`)
			return
		case name == "gone":
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}`)
			return
		case r.Method == http.MethodDelete:
			deleted = append(deleted, name)
		}
		release := "app"
		if name == "theirs" {
			release = "other"
		}
		_, _ = fmt.Fprintf(w, `{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": %q, "namespace": "o", "annotations": {%q: %q, %q: "o"}}}`,
			name, annotationReleaseName, release, annotationReleaseNamespace)
	}))
	t.Cleanup(server.Close)
	client, err := rest.RESTClientFor(&rest.Config{
		Host: server.URL, APIPath: "/api", ContentConfig: rest.ContentConfig{GroupVersion: &corev1.SchemeGroupVersion, NegotiatedSerializer: scheme.Codecs.WithoutConversion()},
	})
	if err != nil {
		t.Fatal(err)
	}
	all := func(names ...string) kube.ResourceList {
		var list kube.ResourceList
		for _, name := range names {
			list.Append(&resource.Info{
				Client: client, Namespace: "o", Name: name, Object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "o"}},
				Mapping: &meta.RESTMapping{
					Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Scope: meta.RESTScopeNamespace,
				},
			})
		}
		return list
	}
	c := careful{Client: &kube.Client{Log: func(string, ...any) {}}, namespace: "o", name: "app"}
	if _, err := c.Update(all("broken", "gone", "own", "stays", "theirs"), all("stays"), false); err != nil || !slices.Equal(deleted, []string{"own"}) {
		t.Errorf("an upgrade deletes %q, %v", deleted, err)
	}
	deleted = nil
	if _, errs := c.Delete(all("broken", "own")); len(errs) != 1 || !strings.Contains(errs[0].Error(), "see whether ConfigMap broken is to be deleted") || deleted != nil {
		t.Errorf("an uninstall deletes %q, %v", deleted, errs)
	}
	if _, errs := c.Delete(all("gone", "own", "theirs")); errs != nil || !slices.Equal(deleted, []string{"own"}) {
		t.Errorf("an uninstall deletes %q, %v", deleted, errs)
	}
}
