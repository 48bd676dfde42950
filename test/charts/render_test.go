//go:build beds

package charts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/test/charts"
)

// object is one rendered object: as the API server's types see it, and its metadata.
type object struct {
	kind  string
	meta  metav1.Object
	typed runtime.Object
}

func (o object) String() string { return o.kind + "/" + o.meta.GetName() }

func load(t testing.TB, name string) *chart.Chart {
	t.Helper()
	loaded, err := charts.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// render renders a chart as `helm install NAME` into the namespace "openstack" does, with
// values written as YAML.
func render(t testing.TB, c *chart.Chart, values string) []object {
	t.Helper()
	var objects []object
	for _, text := range manifests(t, c, values) {
		objects = append(objects, decode(t, c.Name(), text))
	}
	return objects
}

// manifests returns the rendered objects as they are written.
func manifests(t testing.TB, c *chart.Chart, values string) []string {
	t.Helper()
	overrides := map[string]any{}
	if err := yaml.Unmarshal([]byte(values), &overrides); err != nil {
		t.Fatal(err)
	}
	options := chartutil.ReleaseOptions{Name: c.Name(), Namespace: "openstack", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(c, overrides, options, nil)
	if err != nil {
		t.Fatalf("%s: %v", c.Name(), err)
	}
	files, err := engine.Render(c, all)
	if err != nil {
		t.Fatalf("%s: %v", c.Name(), err)
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, text := range strings.Split("\n"+files[name], "\n---\n") {
			if strings.Trim(text, ". \n") != "" { // some charts end with the mark of an end
				found = append(found, text)
			}
		}
	}
	return found
}

// decode refuses fields that the API does not have and keys that are there twice.
func decode(t testing.TB, where, text string) object {
	t.Helper()
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v in\n%s", where, err, text)
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Strict: true})
	typed, kind, err := strict.Decode(data, nil, nil)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", where, err, text)
	}
	return object{kind: kind.Kind, meta: typed.(metav1.Object), typed: typed}
}

// pods returns an object's pod template and the labels that its controller selects.
func (o object) pods() (*corev1.PodTemplateSpec, *metav1.LabelSelector) {
	switch typed := o.typed.(type) {
	case *appsv1.Deployment:
		return &typed.Spec.Template, typed.Spec.Selector
	case *appsv1.StatefulSet:
		return &typed.Spec.Template, typed.Spec.Selector
	case *appsv1.DaemonSet:
		return &typed.Spec.Template, typed.Spec.Selector
	case *batchv1.Job:
		return &typed.Spec.Template, nil
	case *batchv1.CronJob:
		return &typed.Spec.JobTemplate.Spec.Template, nil
	case *corev1.Pod:
		return &corev1.PodTemplateSpec{ObjectMeta: typed.ObjectMeta, Spec: typed.Spec}, nil
	}
	return nil, nil
}

func find(t testing.TB, objects []object, kind, name string) object {
	t.Helper()
	for _, o := range objects {
		if o.kind == kind && o.meta.GetName() == name {
			return o
		}
	}
	t.Fatalf("there is no %s %s in %v", kind, name, objects)
	return object{}
}

func names(objects []object, kind string) []string {
	var found []string
	for _, o := range objects {
		if o.kind == kind {
			found = append(found, o.meta.GetName())
		}
	}
	slices.Sort(found)
	return found
}

// text is all of what a chart renders.
func text(t testing.TB, c *chart.Chart, values string) string {
	t.Helper()
	return strings.Join(manifests(t, c, values), "---\n")
}

// env returns the plain environment of a pod's container, init containers included.
func env(t testing.TB, pod *corev1.PodTemplateSpec, container string) map[string]string {
	t.Helper()
	for _, c := range append(slices.Clone(pod.Spec.InitContainers), pod.Spec.Containers...) {
		if c.Name != container {
			continue
		}
		values := map[string]string{}
		for _, variable := range c.Env {
			values[variable.Name] = variable.Value
		}
		return values
	}
	t.Fatalf("no container %s", container)
	return nil
}

// decodeLoosely takes an object as the API server would; false when it is of a custom kind.
func decodeLoosely(t testing.TB, text string) (object, bool) {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	typed, kind, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return object{}, false
	}
	return object{kind: kind.Kind, meta: typed.(metav1.Object), typed: typed}, true
}
