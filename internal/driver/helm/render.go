package helm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Names of Helm's and of Kubernetes' own.
const (
	labelManagedBy             = "app.kubernetes.io/managed-by"
	managedByHelm              = "Helm"
	annotationReleaseName      = "meta.helm.sh/release-name"
	annotationReleaseNamespace = "meta.helm.sh/release-namespace"
	annotationPolicy           = "helm.sh/resource-policy"
	policyKeep                 = "keep"

	kindJob        = "Job"
	kindPod        = "Pod"
	kindClaim      = "PersistentVolumeClaim"
	kindSecret     = "Secret"
	kindDefinition = "CustomResourceDefinition"
	kindNamespace  = "Namespace"

	// onDelete is the update strategy of DaemonSets whose pods nobody but us replaces.
	onDelete = "OnDelete"
)

// rendered is what a chart makes of values.
type rendered struct {
	key         string
	definitions []*unstructured.Unstructured // what has to be there before; no part of the release
	objects     []*unstructured.Unstructured
	hooks       []*release.Hook
}

// render renders a chart without asking the cluster for objects, as charts of OpenStack-Helm never
// do; the kinds that it has are known. The error is a [unit.BlockedError] where the chart and its
// values do not go together. The last rendering is kept until the release is up to date. Objects of before are there
// already, and DaemonSets keep their names: see [keepNames].
func (d *Driver) render(ctx context.Context, w *wanted, version int, install bool, before []*unstructured.Unstructured) (rendered, error) {
	id := w.spec.Namespace + "/" + w.spec.Name
	key := hashOf(fmt.Sprint(version, install), w.labels[labelSpec], w.labels[labelChart], w.labels[labelValues])
	d.mu.Lock()
	known := d.rendered[id]
	d.mu.Unlock()
	if known.key == key {
		return known, nil
	}
	loaded, err := w.chart()
	if err != nil {
		return rendered{}, unit.Blocked(fmt.Sprintf("chart %s cannot be loaded: %v", w.spec.Chart.Name, err))
	}
	capabilities, err := d.capabilities(ctx)
	if err != nil {
		return rendered{}, err
	}
	if limit := loaded.Metadata.KubeVersion; limit != "" && !chartutil.IsCompatibleRange(limit, capabilities.KubeVersion.Version) {
		return rendered{}, unit.Blocked(fmt.Sprintf("chart %s needs Kubernetes %s, and this is %s", w.spec.Chart.Name, limit, capabilities.KubeVersion.Version))
	}
	d.countRendering()
	if err := capabilities.suffice(w.spec.Chart.Name, func(shown any) error {
		_, _, err := documentsFor(loaded, w, version, install, capabilities.Capabilities, shown)
		return err
	}); err != nil {
		return rendered{}, err
	}
	hooks, manifests, err := documentsOf(loaded, w, version, install, capabilities.Capabilities)
	if err != nil {
		return rendered{}, cmp.Or(w.needs, err)
	}
	if err := checkPins(w.spec, hooks, manifests); err != nil {
		return rendered{}, err
	}
	definitions, err := d.definitionsOf(loaded, id)
	if err != nil {
		return rendered{}, unreadableIn("chart "+w.spec.Chart.Name, err)
	}
	result := rendered{key: key, hooks: hooks, definitions: definitions}
	for _, manifest := range manifests {
		objects, err := d.owned([]string{manifest.Content}, w.spec.Namespace, w.spec.Name, scopesOf(definitions))
		if err != nil {
			return rendered{}, unreadableIn(path.Clean(manifest.Name), err)
		}
		result.objects = append(result.objects, objects...)
	}
	if before == nil && len(w.spec.Remainders) > 0 {
		if before, err = d.left(ctx, w.spec); err != nil {
			return rendered{}, err
		}
	}
	amendmentOf(w.spec, before).apply(result.objects)
	d.mu.Lock()
	d.rendered[id] = result
	d.mu.Unlock()
	return result, nil
}

// countRendering tells who counts that a chart is rendered.
func (d *Driver) countRendering() {
	if d.options.Rendered != nil {
		d.options.Rendered()
	}
}

// documentsOf renders a chart. The error is a [unit.BlockedError].
func documentsOf(loaded *chart.Chart, w *wanted, version int, install bool, capabilities *chartutil.Capabilities) ([]*release.Hook, []releaseutil.Manifest, error) {
	return documentsFor(loaded, w, version, install, capabilities, capabilities)
}

// documentsFor is the same with something else shown to templates in the place of the capabilities.
func documentsFor(loaded *chart.Chart, w *wanted, version int, install bool, capabilities *chartutil.Capabilities, shown any) ([]*release.Hook, []releaseutil.Manifest, error) {
	values, _ := copied(w.values).(map[string]any)
	leaveAway(values, loaded, w.spec)
	if err := chartutil.ProcessDependenciesWithMerge(loaded, values); err != nil {
		return nil, nil, unit.Blocked(fmt.Sprintf("chart %s: %v", w.spec.Chart.Name, err))
	}
	toRender, err := chartutil.ToRenderValues(loaded, values, chartutil.ReleaseOptions{
		Name: w.spec.Name, Namespace: w.spec.Namespace, Revision: version, IsInstall: install, IsUpgrade: !install,
	}, capabilities)
	if err != nil {
		return nil, nil, unit.Blocked(fmt.Sprintf("chart %s: %v", w.spec.Chart.Name, err))
	}
	toRender["Capabilities"] = shown
	files, err := engine.Engine{}.Render(loaded, toRender)
	if err != nil {
		return nil, nil, unit.Blocked(fmt.Sprintf("chart %s cannot be rendered: %v", w.spec.Chart.Name, err))
	}
	for name := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(files, name)
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return nil, nil, unit.Blocked(fmt.Sprintf("chart %s renders to what is no object: %v", w.spec.Chart.Name, err))
	}
	return hooks, manifests, nil
}

// forget drops a rendering that is not needed any more.
func (d *Driver) forget(namespace, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rendered, namespace+"/"+name)
}

// owned returns the objects of documents as Helm applies them: with a namespace, and with its
// label and annotations of ownership, and without the rules that the cluster puts together for a role. Of kinds that the cluster may not have yet, scopes tells whether their
// objects live in namespaces.
func (d *Driver) owned(documents []string, namespace, name string, scopes map[schema.GroupKind]bool) ([]*unstructured.Unstructured, error) {
	found, err := d.parse(documents, namespace, scopes)
	if err != nil {
		return nil, err
	}
	for _, object := range found {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[labelManagedBy] = managedByHelm
		object.SetLabels(labels)
		annotate(object, annotationReleaseName, name)
		annotate(object, annotationReleaseNamespace, namespace)
		if object.GetKind() == "ClusterRole" && object.Object["aggregationRule"] != nil { // the cluster fills them in
			delete(object.Object, "rules")
		}
	}
	return found, nil
}

// split returns the documents of a manifest, in order. It costs as much as reading them.
func split(manifest string) []string {
	documents := releaseutil.SplitManifests(manifest)
	names := slices.Collect(maps.Keys(documents))
	sort.Sort(releaseutil.BySplitManifestsOrder(names))
	sorted := make([]string, 0, len(names))
	for _, name := range names {
		sorted = append(sorted, documents[name])
	}
	return sorted
}

// parse returns the objects of documents, with a namespace where their kind has one.
func (d *Driver) parse(documents []string, namespace string, scopes map[schema.GroupKind]bool) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	for _, document := range documents {
		text, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			return nil, err
		}
		if string(text) == "null" {
			continue
		}
		object := new(unstructured.Unstructured)
		if err := object.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		if !object.IsList() {
			found = append(found, object)
			continue
		}
		list, err := object.ToList()
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			found = append(found, &list.Items[i])
		}
	}
	for _, object := range found {
		if object.GetNamespace() != "" {
			continue
		}
		within, known := scopes[object.GroupVersionKind().GroupKind()]
		if !known {
			var err error
			if within, err = d.scopes.namespaced(object.GroupVersionKind()); err != nil {
				return nil, err
			}
		}
		if within {
			object.SetNamespace(namespace)
		}
	}
	return found, nil
}

func annotate(object *unstructured.Unstructured, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

func refOf(object *unstructured.Unstructured) unit.ObjectRef { return unit.RefOf(object.Object) }

func refsOf(objects []*unstructured.Unstructured) []unit.ObjectRef {
	refs := make([]unit.ObjectRef, 0, len(objects))
	for _, object := range objects {
		refs = append(refs, refOf(object))
	}
	return refs
}

// stays tells whether an object is never deleted by us.
func stays(object *unstructured.Unstructured) bool {
	return object.GetAnnotations()[annotationPolicy] == policyKeep ||
		holdsMore(object.GetKind()) || refOf(object).Identity().KeepsData()
}

// holdsMore tells whether with objects of a kind would go what others have put into them: data, objects of a
// kind, or all that is in a namespace.
func holdsMore(kind string) bool {
	return slices.Contains([]string{kindClaim, kindDefinition, kindNamespace}, kind)
}
